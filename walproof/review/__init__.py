"""``walproof review``: report which readers and writers a format change breaks."""
