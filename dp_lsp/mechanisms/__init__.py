"""Mechanisms: one class each, with all that is known of it. How their costs are composed is said in accounting."""
