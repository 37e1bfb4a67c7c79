"""Summarise a log: its format, its state and its losses."""
