"""Starting Spark: the session that jobs run in, and the Java that it needs."""
