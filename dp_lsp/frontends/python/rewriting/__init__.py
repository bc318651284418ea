"""Repairs, as Python writes them."""
