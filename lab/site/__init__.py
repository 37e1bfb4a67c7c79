"""The site, which shows a run report and its vectors as HTML pages that need no server."""
