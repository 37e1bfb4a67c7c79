"""What two logs have in common: a replica and its leader, a log and its backup.

Records are the same if they say the same, wherever they stand. ``align`` finds which of two logs
correspond; ``records`` reads them, a digest for each, so that memory grows with their number only.
"""
