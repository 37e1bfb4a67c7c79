"""Recipes of the KahaDB journal, a file for each column of the matrix."""
