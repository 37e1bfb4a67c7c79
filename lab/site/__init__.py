"""The site: a report, the vectors and all pages as HTML that works without a server."""
