"""Protocol version 1 between the harness and an implementation (conformance/README.md)."""

PROTOCOL = 1
