"""Scenarios: format-independent damage to logs, and the results of real systems."""
