"""Recipes of the tally log."""
