"""Compare two logs, such as a replica and its leader, or a log and its backup.

Records are equal if their contents are equal, whatever their position.
"""
