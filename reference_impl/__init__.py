"""The executable specification: one package per format, with a reader and a writer.

Read the code together with the chapters in ``spec/``. A comment like ``# LDB-028`` cites the
requirement that the code implements.
"""
