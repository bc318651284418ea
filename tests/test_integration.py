"""What others run the checker by: pre-commit, the action for GitHub and the job for GitLab, as far as a machine without
them can."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from source_tree import ROOT

BASH = shutil.which("bash")
PROVED = "function noisy(x::Real) :: Priv()\n    laplacian_mechanism(1, 0.5, x)\nend\n"
FAILED = PROVED.replace(", x)", ", x + x)")
ACTION = yaml.safe_load((ROOT / ".github" / "actions" / "check" / "action.yml").read_text("utf-8"))
JOB = yaml.safe_load((ROOT / ".gitlab" / "dp-lsp.yml").read_text("utf-8"))["dp-lsp"]
GUIDE = (ROOT / "dp_lsp" / "reference" / "ci.md").read_text("utf-8")
STUB = """\
#!/bin/sh
# A Python that makes environments of nothing, and installs nothing.
case "$*" in
  "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp "$(dirname "$0")/pip" "$3/bin/pip" ;;
  "-m pip install "*) shift 3; echo "$*" >>"$NOTES/installed" ;;
  *) exit 9 ;;
esac
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with programs of these names: ours, and stand-ins for Python and pip."""
    folder = tmp_path / "programs"
    folder.mkdir()
    ours = f'#!/bin/sh\nexec {shlex.join([sys.executable, "-m", "dp_lsp"])} "$@"\n'
    pip = '#!/bin/sh\nshift 1\necho "$*" >>"$NOTES/installed"\n'
    for name, text in {"dp-lsp": ours, "python": STUB, "python3": STUB, "pip": pip}.items():
        (folder / name).write_text(text, "utf-8")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one program that is proved."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "a.jl").write_text(PROVED, "utf-8")
    git("init", "--quiet", folder=folder)
    git("add", ".", folder=folder)
    return folder


def around(programs: Path, **more: str) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DP_LSP_", "CI_"))}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**known, "PATH": path, "PYTHONPATH": str(ROOT), "NOTES": str(programs), **more}


def git(*words: str, folder: Path) -> None:
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *author, *words], cwd=folder, check=True, capture_output=True)


def ran(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )


# pre-commit


def test_pre_commit_stops_what_fails_and_lets_pass_what_is_mended(
    tmp_path: Path, programs: Path, repository: Path
) -> None:
    """The hook as it is, but that it finds a program instead of installing one."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    git("init", "--quiet", folder=hooks)
    git("add", ".", folder=hooks)
    git("commit", "--quiet", "-m", "hooks", folder=hooks)
    found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=hooks, capture_output=True, text=True, check=True)
    hook = {"id": "dp-lsp", "language": "system", "args": ["--output-format", "concise"]}
    configuration = {"repos": [{"repo": str(hooks), "rev": found.stdout.strip(), "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration), "utf-8")
    environment = around(programs, PRE_COMMIT_HOME=str(tmp_path / "home"))

    def run() -> subprocess.CompletedProcess[str]:
        git("add", ".", folder=repository)
        return ran([sys.executable, "-m", "pre_commit", "run", "--color", "never"], repository, environment)

    passed = run()
    assert passed.returncode == 0 and re.search(r"dp-lsp\.+Passed", passed.stdout), passed.stdout
    (repository / "a.jl").write_text(FAILED, "utf-8")
    stopped = run()
    assert stopped.returncode == 1 and "a.jl:2:33: error[DP301]" in stopped.stdout, stopped.stdout
    (repository / "a.jl").write_text(FAILED.replace("(1,", "(2,"), "utf-8")
    assert run().returncode == 0
    git("commit", "--quiet", "-m", "all", folder=repository)
    (repository / "notes.md").write_text("words\n", "utf-8")
    assert "no files to check" in run().stdout


def test_the_hook_installs_this_package_and_runs_for_what_it_reads() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert (hook["id"], hook["language"], hook["entry"]) == ("dp-lsp", "python", "dp-lsp check")
    files = re.compile(hook["files"])
    assert all(map(files.search, ("a.jl", "lab/a.jl", "lab/a.py", "dp-lsp.toml", "lab/dp-lsp.toml", "pyproject.toml")))
    assert not any(map(files.search, ("a.jl.md", "my-dp-lsp.toml", "a.pyc")))


# GitHub

posix = pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="not run: there is no bash")


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ACTION["runs"]["steps"]
    return found


def test_the_action_takes_its_inputs_by_variables() -> None:
    """What somebody else may write into an input is never part of a script, and no one else's action is used."""
    used = [step["uses"] for step in steps() if "uses" in step]
    assert len(used) == 1 and re.fullmatch(r"actions/setup-python@[0-9a-f]{40}", used[0])
    scripts = [step for step in steps() if "run" in step]
    assert scripts and not any("${{" in step["run"] for step in scripts)
    named = {word for step in steps() for word in re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", str(step))}
    assert named == set(ACTION["inputs"])
    for name, about in ACTION["inputs"].items():
        assert about["description"].endswith(".") and isinstance(about["default"], str), name


def acted(programs: Path, repository: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the steps of the action as GitHub does: each in a shell of its own, with what the ones before left."""
    assert BASH
    given = {name: about["default"] for name, about in ACTION["inputs"].items()} | inputs
    temporary = programs / "temporary"
    paths = programs / "paths"
    paths.write_text("", "utf-8")
    output = ""
    for step in steps():
        if "run" not in step:
            continue
        variables = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
            for name, value in step["env"].items()
        }
        environment = around(
            programs,
            GITHUB_PATH=str(paths),
            GITHUB_ACTION_PATH=str(ROOT / ".github" / "actions" / "check"),
            GITHUB_WORKSPACE=str(repository),
            RUNNER_TEMP=str(temporary),
            RUNNER_OS="Linux",
            **variables,
        )
        environment["PATH"] = os.pathsep.join([*paths.read_text("utf-8").split("\n")[:-1], environment["PATH"]])
        script = programs / "step.sh"
        script.write_text(step["run"], "utf-8")
        done = ran([BASH, "--noprofile", "--norc", "-eo", "pipefail", str(script)], repository, environment)
        output += done.stdout
        if done.returncode:
            return subprocess.CompletedProcess(done.args, done.returncode, output)
    return subprocess.CompletedProcess([], 0, output)


@posix
def test_the_action_annotates_the_lines(programs: Path, repository: Path) -> None:
    assert acted(programs, repository).returncode == 0
    (installed,) = (programs / "installed").read_text("utf-8").splitlines()
    package = Path(installed.split()[-1])
    assert (package / "pyproject.toml").samefile(ROOT / "pyproject.toml")
    (repository / "a.jl").write_text(FAILED, "utf-8")
    failed = acted(programs, repository, version="0.1.0", sarif="out.sarif")
    assert failed.returncode == 1
    assert re.search(r"^::error .*file=a\.jl,line=2,", failed.stdout, re.MULTILINE), failed.stdout
    (run,) = json.loads((repository / "out.sarif").read_text("utf-8"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["DP301"]
    assert (programs / "installed").read_text("utf-8").splitlines()[-1].split()[-1] == "dp-lsp==0.1.0"


@posix
def test_the_action_passes_paths_and_options_on(programs: Path, repository: Path) -> None:
    """Paths with spaces, and ones that look like options or commands."""
    for name in ("a b", "-x", "$(touch oops)"):
        (repository / name).mkdir()
        (repository / name / "c.jl").write_text(FAILED, "utf-8")
        failed = acted(programs, repository, paths=f"a.jl\n\n{name}\n")
        assert failed.returncode == 1 and failed.stdout.count("::error") == 1, failed.stdout
    passed = acted(programs, repository, paths="a b", args="--exit-zero\n--set eps=1/3")
    assert passed.returncode == 2 and "eps" in passed.stdout
    assert acted(programs, repository, paths="a b", args="--exit-zero  --profile\nsound").returncode == 0
    assert acted(programs, repository, paths="nowhere", sarif="no.sarif").returncode == 2
    assert not (repository / "no.sarif").exists() and not (repository / "oops").exists()


# GitLab


@posix
def test_the_job_reports_and_fails(programs: Path, repository: Path) -> None:
    variables = {**JOB["variables"], "CI_JOB_ID": "7", "TMPDIR": str(programs)}
    script = "set -e\n" + "\n".join(JOB["script"])
    assert ran(["sh", "-c", script], repository, around(programs, **variables)).returncode == 0
    (repository / "a.jl").write_text(FAILED, "utf-8")
    failed = ran(["sh", "-c", script], repository, around(programs, **variables | {"DP_LSP_ARGS": "--statistics"}))
    assert failed.returncode == 1 and "DP301" in failed.stdout
    (problem,) = json.loads((repository / JOB["artifacts"]["reports"]["codequality"]).read_text("utf-8"))
    assert problem["check_name"] == "too-sensitive" and problem["location"]["path"] == "a.jl"
    assert (programs / "installed").read_text("utf-8").split()[-1] == "dp-lsp"
    assert JOB["artifacts"]["when"] == "always"


# The page about CI


def recipes() -> list[Any]:
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)]


def test_the_recipes_of_the_page_name_what_there_is() -> None:
    hook, workflow, job = recipes()
    assert [each["id"] for repo in hook["repos"] for each in repo["hooks"]] == ["dp-lsp"]
    (*_, check) = workflow["jobs"]["privacy"]["steps"]
    path = re.fullmatch(r"dp-lsp/dp-lsp/(.+)@v[\d.]+", check["uses"])
    assert path and (ROOT / path[1] / "action.yml").is_file()
    assert check["with"].keys() <= ACTION["inputs"].keys()
    ((include,),) = [job["include"]]
    assert include["remote"].endswith(".gitlab/dp-lsp.yml")
    assert job["dp-lsp"]["variables"].keys() <= JOB["variables"].keys()
