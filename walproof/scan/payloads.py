"""What a column of payloads can hold."""

LONGEST = 2**31 - 1
"""Bytes that a binary column can hold."""
