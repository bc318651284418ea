"""What was found out outlives a run: results by all that they depend on, in the user's cache folder."""
