"""Wrong: exceed the time limit on the first request of a process, as a cold start does."""

import time

from breakable_reader import Reader, serve_reader


class SlowAtFirst(Reader):
    started = False

    def release(self, payload: bytes) -> None:
        if not SlowAtFirst.started:
            time.sleep(4)
        SlowAtFirst.started = True
        super().release(payload)


serve_reader(SlowAtFirst)
