"""Repairs of what people write first: what should be between bounds, what noise is added to, and what is private and
is used as if it were not."""
