"""Kinds of problems with the tool itself: checks that end otherwise than by an answer."""

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


class CheckerEnded(Kind):
    """The checking process ended in the middle of a check, so nothing is known of this version of the file.

    This is a bug of the checker or a lack of memory, not a mistake in the program. Nothing is called `proved`
    until a check has run to its end. The next edit checks again, and so does the command `dp-lsp.restart`.

    A program of any shape may be hit; one that is not:

    ```julia
    twice(x::Real) = x + x
    ```
    """

    code = "DP980"
    name = "checker-ended"
    message = "the checker stopped before it was done with this file ({cause}); nothing in it is proved"
    unchecked = True


class CheckTooLong(Kind):
    """The check took more computing time than it may, so nothing is known of this version of the file.

    A check that never ends would leave an old verdict on the screen. Split a very long function, or move it
    to a file of its own; the next edit checks again, and so does the server when it is quiet, if the machine was busy
    with something else. On the command line `--limit time=300` gives it 300 seconds.

    A program of any shape may be hit; one that is not:

    ```julia
    twice(x::Real) = x + x
    ```
    """

    code = "DP981"
    name = "check-too-long"
    message = "this file was not checked within {seconds:g} seconds of computing; nothing in it is proved"
    unchecked = True


class CheckTooLarge(Kind):
    """The check needed more memory than it may have, so nothing is known of this file.

    A check that takes all memory would end everything else on the machine, too. Split a very long function, or move
    it to a file of its own. On the command line `--limit memory=8192` gives it 8,192 MiB.

    A program of any shape may be hit; one that is not:

    ```julia
    twice(x::Real) = x + x
    ```
    """

    code = "DP982"
    name = "check-too-large"
    message = "this file was not checked with {memory} MiB of memory; nothing in it is proved"
    unchecked = True
