"""The write-ahead log of SQLite: the parts that ``walproof.formats`` describes."""
