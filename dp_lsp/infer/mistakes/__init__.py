"""Known mistakes, found behind the problems that they lead to."""
