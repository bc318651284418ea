"""Mutants that no test notices, and why that is right: they change no answer that could be wrong."""

SURVIVORS: dict[str, str] = {}
