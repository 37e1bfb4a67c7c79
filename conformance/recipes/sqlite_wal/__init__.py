"""Recipes of SQLite write-ahead logs, with one module for each group of vectors."""
