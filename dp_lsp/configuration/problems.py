"""Kinds of problems with the configuration of a project."""

from __future__ import annotations

from dp_lsp.problem import Kind


class NotToml(Kind):
    """The configuration is not valid TOML, so nothing of it can be read.

    On the command line nothing is checked then. In an editor the last configuration that could be read stays in
    force.

    Broken:

    ```toml
    profile = sound
    ```

    Fixed:

    ```toml
    profile = "sound"
    ```
    """

    code = "DP810"
    name = "not-toml"
    message = "this configuration is not valid TOML: {reason}"


class UnknownKey(Kind):
    """The configuration has a key that means nothing. If it were skipped, what it was meant to say would not hold.

    Broken:

    ```toml
    max_epsilon = 1.0
    ```

    Fixed:

    ```toml
    max-epsilon = 1.0
    ```
    """

    code = "DP811"
    name = "unknown-key"
    message = "`{name}` is not a {what}; {hint}{known}"


class WrongValue(Kind):
    """A key of the configuration has a value that it cannot have.

    Broken:

    ```toml
    max-delta = "small"
    ```

    Fixed:

    ```toml
    max-delta = 1e-5
    ```
    """

    code = "DP812"
    name = "wrong-value"
    message = "`{name}` must be {words}"


class NoBaseline(Kind):
    """What the configuration or `--baseline` names as a baseline is none, so it is not known what is accepted.

    A baseline is written by `dp-lsp check --update-baseline`. On the command line nothing is checked while it is
    broken; in an editor the last one that could be read stays in force.

    Broken: a baseline in which a merge has left the marks of a conflict.

    Fixed: keep the lines of both sides, without the marks, and run `dp-lsp check --update-baseline`, which sorts
    them and leaves out what no longer occurs.
    """

    code = "DP813"
    name = "no-baseline"
    message = "this is not a baseline: {why}"


class OutsideLink(Kind):
    """The configuration is a link that leads out of the repository, or out of its folder where there is no repository.
    It is not read: a program that you were sent must not make the tool open other files of yours.

    On the command line nothing is checked then. `--config FILE` names any file.

    Broken: `dp-lsp.toml` is a link to `/etc/shared.toml`.

    Fixed: copy the file, or put it into the repository and link there.
    """

    code = "DP814"
    name = "outside-link"
    message = "this configuration is a link that leads out of the repository, so it is not read; copy the file"
