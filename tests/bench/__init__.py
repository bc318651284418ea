"""How fast the checker and the server are: ``python -m tests.bench`` prints a table."""
