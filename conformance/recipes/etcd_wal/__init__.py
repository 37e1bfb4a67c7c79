"""Recipes of etcd's write-ahead log."""
