"""Recipes of the KahaDB journal, with one file for each column of the matrix."""
