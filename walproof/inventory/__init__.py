"""The inventory of a folder of logs as three tables: ``records``, ``damage`` and ``files``.

The tasks run in a worker pool (``walproof export --parquet``) or on Spark (``walproof audit``).
"""
