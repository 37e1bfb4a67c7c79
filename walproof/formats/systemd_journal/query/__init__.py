"""Query systemd journals: select entries of one or several files as journalctl does.

``journal_file`` opens a file, ``filters`` matches entries, ``times`` parses timestamps,
``selection`` combines them, and ``output`` prints entries. Damaged files are supported: the filters
are applied to each entry that the reader recovers.
"""
