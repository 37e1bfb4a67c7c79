"""Wrong: does not get past an empty record, and is right about every log without one."""

import time

from breakable_reader import Reader, serve_reader


class HangsOnOneCase(Reader):
    def release(self, payload: bytes) -> None:
        while not payload:
            time.sleep(1)
        super().release(payload)


serve_reader(HangsOnOneCase)
