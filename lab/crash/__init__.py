"""Test which acknowledged records of a writer survive a power failure (docs/crash.md)."""
