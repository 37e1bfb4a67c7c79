"""The format plug-in for RocksDB and Pebble logs. See ``walproof.formats`` for its parts."""
