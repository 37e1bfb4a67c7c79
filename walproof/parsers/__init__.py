"""Generate parsers from ``ksy/``: packages for six languages."""
