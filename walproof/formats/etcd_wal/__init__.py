"""The format plug-in for etcd's write-ahead logs. See ``walproof.formats`` for its parts."""
