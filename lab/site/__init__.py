"""The site: a report, the vectors and all pages as HTML that works without a server.

It is built from one run report, the chapters and the vectors. Links are relative, so that the pages
work from a disk and below any path.
"""
