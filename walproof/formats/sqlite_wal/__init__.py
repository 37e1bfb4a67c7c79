"""The format plug-in for SQLite write-ahead logs. See ``walproof.formats`` for its parts."""
