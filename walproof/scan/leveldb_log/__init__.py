"""The bulk scanner of spec/leveldb-log.md."""
