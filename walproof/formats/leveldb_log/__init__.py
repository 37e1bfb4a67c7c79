"""LevelDB's log: the parts that ``walproof.formats`` describes."""
