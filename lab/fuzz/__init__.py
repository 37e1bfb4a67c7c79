"""Fuzz readers: run them on generated inputs, guided by code coverage (README.md)."""
