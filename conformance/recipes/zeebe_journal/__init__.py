"""Recipes for the Zeebe journal vectors, one module for each kind of fault."""
