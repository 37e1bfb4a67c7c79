"""The executable specification: one package per format, with a reader and a writer.

It is plain Python, to be read together with the chapters in ``spec/``. Each rule cites the
requirement that it implements (``# LDB-028``). No module here depends on vectors, adapters or
reports.
"""
