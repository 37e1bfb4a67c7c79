"""Query systemd journals: select entries of one or several files as journalctl does.

``journal_file`` opens a file, ``filters`` matches entries, ``times`` parses timestamps,
``selection`` combines them, and ``output`` prints entries. Intact and damaged files are treated
alike: the reader returns the entries that survive, and each of them is matched.
"""
