"""Recipes of LevelDB logs, grouped by subject."""
