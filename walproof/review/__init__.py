"""``walproof review``: what a change does to readers, writers and recovery."""
