"""Queries on systemd journals: entries of one file or several, selected as journalctl selects them.

``journal_file`` opens one file, ``filters`` decides about an entry, ``times`` reads points in time,
``selection`` puts them together, and ``output`` prints entries. Whole and damaged files go the same
way: the reader returns the entries that survive, and each of them is looked at.
"""
