"""Scenarios: what happens to logs, in words of no format, and what systems make of it."""
