"""Finding logs, and what is left of logs, in bytes that know nothing of files: ``walproof carve``.

A format that can be carved has a class ``Carver`` (its part ``carver`` in ``walproof/formats``, a
:class:`walproof.carve.base.Carver`). The image is gone through once, a window at a time
(:mod:`walproof.carve.engine`). Fixed bytes that the formats name are looked for in one pass
(:mod:`walproof.carve.search`); what follows them is judged by the format, with a budget for what
turns out to be none (:mod:`walproof.carve.image`).
"""
