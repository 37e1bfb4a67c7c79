"""The site: a report, the vectors and all pages as HTML that needs no server.

It is built from one run report, the chapters, the vectors, the findings and the guides. Links are
relative and the search index is a script, so that the pages work from a disk and below any path.
"""
