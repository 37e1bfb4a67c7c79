"""Recipes for the systemd-journal vectors, one module for each subject."""
