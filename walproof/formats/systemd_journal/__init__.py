"""The format plug-in for systemd journal files. See ``walproof.formats`` for its parts."""
