"""The session that jobs on journals run in: ``from pyspark_journal.session import session``."""

from walproof.spark.session import SHORT_LIVED as SHORT_LIVED
from walproof.spark.session import session as session
