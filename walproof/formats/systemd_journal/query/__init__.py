"""Query systemd journals: select entries of one or several files as journalctl does.

The filters are applied to each entry that the reader recovers from a damaged file.
"""
