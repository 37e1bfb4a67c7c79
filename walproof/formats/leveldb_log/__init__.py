"""The format plug-in for LevelDB logs. See ``walproof.formats`` for its parts."""
