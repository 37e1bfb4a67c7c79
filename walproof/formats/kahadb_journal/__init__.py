"""The format plug-in for KahaDB journals. See ``walproof.formats`` for its parts."""
