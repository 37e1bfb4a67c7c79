"""``walproof carve``: find logs and parts of logs in raw bytes, without a file system."""
