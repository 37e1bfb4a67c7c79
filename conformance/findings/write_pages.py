"""Make the pages of the findings anew, from their records and scripts."""

from __future__ import annotations

from conformance.findings.pages import pages
from conformance.saving import save

if __name__ == "__main__":
    for path, text in pages():
        save(path, text)
