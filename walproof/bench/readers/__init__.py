"""The readers that are measured, one a file."""
