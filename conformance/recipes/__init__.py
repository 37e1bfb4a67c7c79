"""Recipes: how every vector is made. One function a vector, named after its fault."""
