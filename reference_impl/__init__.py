"""The executable specification: one module per format, with a reader and a writer.

Plain Python, to be read together with the chapters in ``spec/``. Every rule cites the requirement
it implements (``# LDB-028``). Nothing here knows about vectors, adapters or reports.
"""
