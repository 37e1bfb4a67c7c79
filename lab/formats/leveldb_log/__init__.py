"""What the experiments need of spec/leveldb-log.md."""
