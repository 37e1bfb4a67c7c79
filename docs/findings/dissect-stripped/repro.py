"""White space at the end of a log message is lost."""

import types

from dissect.target.plugins.os.unix.log.journal import JournalFile

key, value = JournalFile.decode_value(types.SimpleNamespace(), b"MESSAGE=two spaces  ")
print("expected:", repr("two spaces  "))
print("actual:  ", repr(value))
