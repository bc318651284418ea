"""Kinds of problems with files that cannot be read."""

from __future__ import annotations

from dp_lsp.problem import Kind


class Unreadable(Kind):
    """The file is there and cannot be read.

    Nothing is known of a file that was not read, so it is `unknown`, and the run does not succeed: a check
    that skips in silence what it cannot open would look like a proof. The message gives the system's reason.

    Broken: a file that your user may not read, a link that leads nowhere, a pipe named `model.jl`.

    Fixed: give the user that runs the check permission to read the file (`chmod +r model.jl`), mend or remove
    the link, or check only the folders that you mean.
    """

    code = "DP010"
    name = "unreadable"
    message = "this file cannot be read: {reason}"
    unchecked = True


class NotUtf8(Kind):
    """The file is not UTF-8 text.

    Julia source is UTF-8. Another encoding would make names such as `ε` something else than what Julia reads,
    so nothing is guessed: the file is `unknown`. The message names the first byte that does not belong, the
    place points at it. A byte order mark at the start is fine.

    Broken: a file saved as UTF-16 or Latin-1, or a binary file that is called `.jl`.

    Fixed: save the file as UTF-8. Editors call this "Save with encoding"; in a shell,
    `iconv -f latin1 -t utf-8 old.jl > new.jl`.
    """

    code = "DP011"
    name = "not-utf8"
    message = "this file is not UTF-8 text: byte {byte} does not belong here; save it as UTF-8"
    unchecked = True
