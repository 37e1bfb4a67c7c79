"""Where logs lie: files, folders and object stores, and which of what lies there is a log."""
