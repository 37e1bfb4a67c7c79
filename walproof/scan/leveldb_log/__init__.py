"""The bulk scanner of spec/leveldb-log.md."""

ENTERED_EVERY = 32768
"""Bytes: a block. A log can be read from each on."""
