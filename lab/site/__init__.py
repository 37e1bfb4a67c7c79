"""The site: what the suite knows, as pages that need no server.

It is made from one run report, the chapters, the vectors, the findings and the guides. Links are
relative and the index of the search is a script, so that the pages work from a disk and below any
path.
"""
