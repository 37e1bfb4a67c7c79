"""The format plug-in for Zeebe journals. See ``walproof.formats`` for its parts."""
