"""The incremental session that judges a run call by call."""
