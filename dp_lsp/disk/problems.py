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


class NotANotebook(Kind):
    """A file that is called `.ipynb` is no notebook that can be read.

    Nothing is known of it, so it is `unknown`. The message says what is wrong with it.

    Broken: a notebook in which a merge left `<<<<<<<`, or one of the format 2.

    Fixed: open it in Jupyter and save it again, or convert it: `jupyter nbconvert --to notebook old.ipynb`.
    """

    code = "DP021"
    name = "no-notebook"
    message = "this is no notebook that can be read: {reason}"
    unchecked = True


class NotebookOfAnother(Kind):
    """A notebook is written in another language than Python.

    The language of a notebook is that of its kernel, which the notebook itself names. Only those of Python are
    checked; of another one nothing is known, so it is `unknown`.

    Broken: a notebook whose kernel is R.

    Fixed: move the functions that handle private data to a file that is checked.
    """

    code = "DP022"
    name = "notebook-of-another-language"
    message = "the cells of this notebook are `{language}`, and only notebooks of Python are checked"
    unchecked = True
