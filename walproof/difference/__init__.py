"""What two logs have in common: a replica and its leader, a log and its backup.

Records are the same if they say the same, wherever they stand. ``align`` finds which of two logs
correspond; ``records`` reads them: in memory stays a digest for each, the rest in a scratch file.
"""
