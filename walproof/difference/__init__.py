"""Compare two logs, such as a replica and its leader, or a log and its backup.

Records are equal if their contents are equal, whatever their position. ``align`` finds the
corresponding records of two logs. ``records`` reads the logs and keeps a digest of each record in
memory; the rest is in a scratch file.
"""
