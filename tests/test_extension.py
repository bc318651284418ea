"""The configurations of the editors agree with the server, with each other and with the documentation."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import dp_lsp
from dp_lsp.configuration.keys import schema
from dp_lsp.features.decorations import MODIFIERS
from dp_lsp.lsp.client import SECTION, Settings, setting_names, understood
from source_tree import ROOT

EDITORS = ROOT / "editors"
VSCODE = EDITORS / "vscode"
OF_THE_EXTENSION = {"server.path", "server.python", "server.package"}
NAMES = ("vscode", "nvim", "helix", "emacs", "zed", "sublime", "kate")
GUIDE = ROOT / "dp_lsp" / "reference" / "editors.md"


@pytest.fixture(scope="module")
def package() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VSCODE / "package.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def settings(package: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = package["contributes"]["configuration"]["properties"]
    assert all(name.startswith(f"{SECTION}.") for name in found)
    return {name.removeprefix(f"{SECTION}."): each for name, each in found.items()}


def test_the_extension_has_the_settings_of_the_server(settings: dict[str, dict[str, Any]]) -> None:
    ours = {
        "trace.server" if name == "trace" else name for name in setting_names()
    }  # clients follow the protocol by it
    assert set(settings) == ours | OF_THE_EXTENSION


def test_the_defaults_are_those_of_the_server(settings: dict[str, dict[str, Any]]) -> None:
    sent = {name: each["default"] for name, each in settings.items() if not name.startswith(("server", "trace"))}
    assert understood(sent, Settings()) == (Settings(), ())


def test_the_server_takes_every_value_that_is_offered(settings: dict[str, dict[str, Any]]) -> None:
    for name, each in settings.items():
        for value in each.get("enum", []):
            told = understood({"trace" if name == "trace.server" else name: value}, Settings())
            assert not told.complaints, (name, value)
    for level in settings["severity"]["additionalProperties"]["enum"]:
        assert not understood({"severity": {"DP301": level}}, Settings()).complaints


def test_programs_of_a_folder_are_started_only_if_it_is_trusted(
    package: dict[str, Any], settings: dict[str, dict[str, Any]]
) -> None:
    restricted = package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert set(restricted) == {f"{SECTION}.{name}" for name in OF_THE_EXTENSION}
    assert {settings[name]["scope"] for name in OF_THE_EXTENSION} == {"machine-overridable"}


@pytest.mark.parametrize("readme", [GUIDE, VSCODE / "README.md"], ids=["project", "extension"])
def test_the_documentation_names_all_settings(readme: Path, settings: dict[str, dict[str, Any]]) -> None:
    text = readme.read_text("utf-8")
    names = setting_names() if readme == GUIDE else [f"{SECTION}.{name}" for name in settings]
    assert [name for name in names if f"`{name}`" not in text] == []
    if readme.parent == VSCODE:
        assert set(re.findall(rf"^\| `({SECTION}\.[\w.]+)`", text, re.MULTILINE)) == set(names)


def test_the_commands_are_described(package: dict[str, Any]) -> None:
    text = (VSCODE / "README.md").read_text("utf-8")
    commands = {each["title"] for each in package["contributes"]["commands"]}
    assert {title for title in commands if title.rstrip("…") not in text} == set()
    source = (VSCODE / "src" / "commands.ts").read_text("utf-8")
    assert set(re.findall(r"'(dpLsp\.\w+)':", source)) == {
        each["command"] for each in package["contributes"]["commands"]
    }


def test_the_extension_fits_the_server(package: dict[str, Any]) -> None:
    assert package["version"] == dp_lsp.__version__
    (minimum,) = re.findall(r"MINIMUM = '([\d.]+)'", (VSCODE / "src" / "finding.ts").read_text("utf-8"))
    assert [int(part) for part in minimum.split(".")] <= [int(part) for part in dp_lsp.__version__.split(".")]


def test_the_extension_has_the_schema_of_the_configuration(pytestconfig: pytest.Config) -> None:
    file = VSCODE / "schemas" / "dp-lsp.json"
    if pytestconfig.getoption("update"):
        file.write_text(json.dumps(schema(), ensure_ascii=False, indent=2) + "\n", "utf-8")
    assert json.loads(file.read_text("utf-8")) == schema()


def test_editors_of_toml_find_the_schema(package: dict[str, Any]) -> None:
    """Even Better TOML takes a whole URL only: its server drops one that counts from the extension's folder."""
    (association,) = package["contributes"]["tomlValidation"]
    _, found, path = association["url"].partition("/dp-lsp/dp-lsp/main/")
    assert association["url"].startswith("https://raw.githubusercontent.com/") and found
    assert (ROOT / path).samefile(VSCODE / "schemas" / "dp-lsp.json") and association["fileMatch"] == "dp-lsp.toml"


def test_what_the_extension_is_built_of_is_pinned(package: dict[str, Any]) -> None:
    assert "dependencies" not in package, "all is bundled"
    lock = json.loads((VSCODE / "package-lock.json").read_text("utf-8"))
    assert [name for name, version in package["devDependencies"].items() if not re.fullmatch(r"[\d.]+", version)] == []
    assert [name for name, each in lock["packages"].items() if "resolved" in each] == [], "the registry is the user's"
    assert [name for name, each in lock["packages"].items() if name and "integrity" not in each] == []


BACKGROUNDS = {
    "[*Dark*][*dark*][*Night*][*Abyss*]": ("#1f1f1f", "#002b36"),
    "[*Light*][*light*]": ("#ffffff", "#fdf6e3"),
    "[*High Contrast*]": ("#000000",),
    "[*High Contrast Light*]": ("#ffffff",),
}
LEGIBLE = 4.5  # WCAG 2.1, success criterion 1.4.3


def light(colour: str) -> float:
    """How light a colour is, by WCAG 2.1."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_private_and_released_are_told_apart_in_every_theme(package: dict[str, Any]) -> None:
    """By colour and by slope, and legibly: what the server calls them is what the extension colours."""
    ours = [each["id"] for each in package["contributes"]["semanticTokenModifiers"]]
    assert ours == [each for each in MODIFIERS if each in ("private", "released")]
    colours = package["contributes"]["configurationDefaults"]["editor.semanticTokenColorCustomizations"]
    assert set(colours) == {"rules", *BACKGROUNDS}
    for theme, backs in {"": ("#1f1f1f", "#ffffff"), **BACKGROUNDS}.items():
        private, released = (
            (colours[theme]["rules"] if theme else colours["rules"])[f"*.{name}:julia"] for name in ours
        )
        assert private["foreground"] != released["foreground"] and released["italic"] and not private["italic"]
        assert private["bold"] == (not theme), "a theme that nobody knows may have orange parameters"
        least = LEGIBLE if theme else 3.0  # and it must do on light and on dark
        assert all(contrast(each["foreground"], back) >= least for each in (private, released) for back in backs), theme


@pytest.mark.parametrize("name", NAMES)
def test_each_editor_is_documented(name: str) -> None:
    text = (EDITORS / name / "README.md").read_text("utf-8")
    assert "## When nothing happens" in text
    assert f"editors/{name}/README.md" in GUIDE.read_text("utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [link for link in links if not (EDITORS / name / link).exists()] == []


def test_the_configurations_can_be_read() -> None:
    helix = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text("utf-8"))
    assert helix["language"][0]["language-servers"] == ["dp-lsp"]
    commands = [[helix["language-server"]["dp-lsp"]["command"], *helix["language-server"]["dp-lsp"]["args"]]]
    for file in (*EDITORS.glob("kate/*.json"), *EDITORS.glob("zed/*.json"), *EDITORS.glob("sublime/*-settings")):
        read = json.loads(re.sub(r"^//.*$", "", file.read_text("utf-8"), flags=re.MULTILINE))
        commands += [command for command in found(read) if command]
    assert len(commands) == 4 and all(command == ["dp-lsp", "server"] for command in commands)


def found(value: Any) -> list[list[str]]:
    """The commands that start the server, in any of the forms that editors have for them."""
    if not isinstance(value, dict):
        return []
    here = [value["path"], *value["arguments"]] if "path" in value else value.get("command", [])
    return [here, *(each for inner in value.values() for each in found(inner))]
