"""Summarise a log: its format, its state and its losses.

``unpacked`` opens the path as typed (a file, folder, pipe, compressed file or archive, or ``-``) as
a local log. ``summary`` reads the log once, and stores only the first and the last record.
``screen`` formats the result for a terminal.
"""
