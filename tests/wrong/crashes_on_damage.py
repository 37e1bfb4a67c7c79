"""Wrong: crash with an assertion instead of reporting damage and reading on."""

import os
import sys

from breakable_reader import Reader, serve_reader


class CrashesOnDamage(Reader):
    def damage(self, what: str) -> None:
        sys.stderr.write(f"Assertion failed: {what}\n")
        sys.stderr.flush()
        os.abort()


serve_reader(CrashesOnDamage)
