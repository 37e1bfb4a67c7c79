"""The byte map of a log: every field with its bytes, value, requirements and state."""
