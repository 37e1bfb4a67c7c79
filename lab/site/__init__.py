"""The site: a report, the vectors and all pages as HTML that works without a server.

The site is built from one run report, the chapters, the vectors, the findings and the guides. Links
are relative, and the search index is a script. The pages therefore work from a disk and below any
path.
"""
