"""Placeholder."""

from walproof.systems.model import Kind

KIND = Kind()
