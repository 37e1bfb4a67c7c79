"""``walproof carve``: find logs and parts of logs in raw bytes, without a file system.

A format that supports carving has a module ``carver`` with a subclass of
:class:`walproof.carve.base.Carver`. :mod:`walproof.carve.engine` searches for the fixed bytes of
all formats in one pass. The carver of the format then checks each hit.
"""
