"""The format plug-in for Prometheus write-ahead logs. See ``walproof.formats`` for its parts."""
