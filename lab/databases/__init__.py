"""Open and repair damaged logs with whole systems (docs/databases.md)."""
