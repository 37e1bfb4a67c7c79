"""A box for code that is not trusted: programs under test, other revisions, foreign grammars."""

from conformance.isolation.box import Box, evidence
from conformance.isolation.offered import Offered, offered

__all__ = ["Box", "Offered", "evidence", "offered"]
