"""Recipes of the RocksDB write-ahead log. Each column of the matrix has one file."""
