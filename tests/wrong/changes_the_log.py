"""Wrong: cut off the torn tail. A recovery may do so, but a reader must not."""

from pathlib import Path
from typing import Any

from breakable_reader import Reader, answer, hello

from conformance.adapterkit import Request, serve


class Cutting(Reader):
    def torn(self, at: int) -> None:
        self.log = self.log[:at]


def read(path: Path, request: Request) -> dict[str, Any]:
    reader = Cutting(path.read_bytes())
    result = answer(reader)
    path.write_bytes(reader.log)
    return result


serve(hello("changes-the-log"), read)
