"""The laws of the language: the rules that belong to no builtin. Each reason for a bound names its rule, a law or a
builtin, and a person can read here what the law says and why it holds."""

from __future__ import annotations

PARAMETER = "parameter"
NAME = "name"
TUPLE = "tuple"
BRANCH = "branch"
CONDITION = "condition"
CAP = "cap"
LOOP = "loop"
CALL = "call"
BLACK_BOX = "black box"
DRAWN = "drawn value"
FAILURE = "failure"
NOTHING_HOLDS = "no claim"
