"""``walproof audit``: the inventory of a lake of logs.

What lies where: ``lake`` finds the logs, ``plan`` decides what has to be read and packs it into
units, ``work`` is what a task does with a unit, ``engine`` runs the units (on Spark, or here),
``output`` publishes a result at once and whole, ``tables`` says what the columns are, ``tally``
what is counted, ``summary`` what all of it comes to, ``terminal`` and ``page`` show it.
"""
