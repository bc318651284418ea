"""Repairs, as Julia writes them."""
