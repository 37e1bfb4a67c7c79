"""The inventory of a folder of logs as three tables: ``records``, ``damage`` and ``files``.

``logs`` finds the logs and their files, ``result`` divides the work into tasks and brings their
results together, ``task`` is what a worker does, ``schemas`` has the columns, ``tally`` the counts,
``summary`` what all of it comes to, ``terminal`` and ``page`` show that. The tasks run in a worker
pool (``walproof export --parquet DIR``) or on Spark (``walproof audit``).
"""
