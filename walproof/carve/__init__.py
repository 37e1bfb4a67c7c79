"""``walproof carve``: find logs and parts of logs in raw bytes, without a file system.

A format that supports carving has a module ``carver`` in ``walproof/formats``, with a subclass of
:class:`walproof.carve.base.Carver`. :mod:`walproof.carve.engine` processes the image once, window
by window. :mod:`walproof.carve.search` searches for the fixed bytes of all formats in one pass. The
format then checks each hit. :mod:`walproof.carve.image` limits the work on false hits.
"""
