"""Compare two logs: a replica and its leader, or a log and its backup.

Records are equal if their contents are equal, whatever their position. ``align`` finds the
corresponding records of two logs. ``records`` reads them: it stores a digest of each record in
memory, and the rest in a scratch file.
"""
