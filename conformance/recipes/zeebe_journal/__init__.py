"""Recipes for vectors of the Zeebe journal, by kind of fault."""
