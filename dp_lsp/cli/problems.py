"""Kinds of problems with the tool itself."""

from __future__ import annotations

from dp_lsp.problem import Kind


class InternalError(Kind):
    """The tool failed on this file; that is a bug in the tool, not in the file.

    What it was about to say of the file is lost, so the file is `unknown`. All other files are still
    reported, and the run ends with exit code 101.

    Broken: there is nothing wrong with the file that this page could show.

    Fixed: run again with `--log-level debug`, which prints where it failed, and report that with the smallest
    program that shows it. Until then, take out the function that causes it and check the rest.
    """

    code = "DP901"
    name = "internal-error"
    message = "an internal error ({error}) ended the check of this file; please report it"
    unchecked = True
