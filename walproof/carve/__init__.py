"""``walproof carve``: find logs and parts of logs in raw bytes, without a file system.

A format that can be carved has a class ``Carver`` (the part ``carver`` in ``walproof/formats``, a
:class:`walproof.carve.base.Carver`). :mod:`walproof.carve.engine` processes the image once, window
by window. :mod:`walproof.carve.search` searches for the fixed bytes of all formats in one pass. The
format then checks each hit, within a budget for false hits (:mod:`walproof.carve.image`).
"""
