"""Generate parsers from ``ksy/``: packages for six languages.

``package`` generates the packages. ``build`` generates the sources of the drivers.
"""
