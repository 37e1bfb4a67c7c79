"""Recipes of the systemd journal, one file for each subject."""
