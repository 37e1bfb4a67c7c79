"""Recipes that make the vectors. Each recipe is a function, named after the fault of its vector."""
