"""An evaluator of the language that shares nothing with what it judges: its own reader of Julia text, scoping, method
tables, run-time types, failures and output. It imports nothing of the checker, which a test of the layers asserts, and
knows the builtins only by what their pages say.

Numbers are exact: a ``Float64`` is a fraction here, as the claims are about real numbers. What leaves them (infinities,
numbers too long to go on with) and what is not modelled raises :class:`~evaluator.failures.Unmodelled`, so that it is
told apart from a run that fails.
"""
