"""A damaged value is reported as evidence."""

import base64
import io
import logging
import types
import zlib

from dissect.target.plugins.os.unix.log.journal import JournalFile

JOURNAL = (  # a journal file of 2472 bytes, by zlib and Base64
    "eNrzCfAO9vAI8mBAA+WJOQVF+flpummZOam6mSlwfm5ickZmXiqjsmt65+qz72E0unoORog5CzggdAaU3wA1XwLK"
    "d4DyAzghtBSUz4pGQ5UzTGCBMhzkJFS42BgYPKPBtIO3D1iYCyrNguYfmDnMaOaB7GVEkg+A0jeYoDQzA1EgAqo+"
    "ghnV/gk41HdA1TdwYJfngJqTwA6hDThQaXTwghGVRgcw4Uwo/c4mibFn29xAdHUCUIe/YEUNt3gnf/+QeE8XWwND"
    "I2MTUzNzC8vEpOSU1DR0PlQ91HsMBlC6elmhjI3c0XxY+MDcCTMX5j5fKM35TfTt6U0/f3UwY3cfur98XYODHd1d"
    "bRVzCjISkezXh9IHWDeaH0pw7YDFJywcofrg5nhB6cVqvQ2S8z80RLBht1+DHTU9BQR5+gd5hkTammH3/+JwhgJe"
    "te9u6OEN0wez3w9KR7ZOtnJb6ch2ggW7/QpsaPHj4R8c4ufo62qbkV9cgrDfEOb/ysJyLmYTeD6HhStcH1r+aEAL"
    "X1h+c3Dih4ij5X/ZzMwwCaOrurB4haUvWDqHxScsXcPCF+YOmH9hwW2BVi7A/J0B9fAKqMIN7GjpAEpf3Lgj7qBa"
    "7lIJVtT8BtOPK/0kFSWW5SOJw9JDo4zF/td/o8xh+RXmD1zmwdODMfZwhcWPQ5MuOFwbWuSwhutzkcJbD468PooR"
    "rszY0wm6v2HuRg9XGMAVnheg/iRXHywc/KH0bYPCRLsuiROw8gzm3hVs+OMjOSOxKCczFSP84PwjNuDwO3BMF2v4"
    "nV/Pe+stl4k8evgRSoewfA9zN65wQPc/rnIXli6LlUV+N+q8/AuvN3DoRw+HlNSckkQs6QhWPBxg84HUh5y2WMMh"
    "fU+GQ9Cao1qkhgMsvmDuhrnLB0q/udV56bsw+x+YuxPQ0gEu/6QmZ+QzYMlngq1vKkQOd6+B6YOlY1zmwfOZCfZ8"
    "Bs+eaO0E9PDxejZloub5AHZC+QxWb8D8DSsPYO6GpZMItHRwgYOBIgAABStRDQ=="
)
file = io.BytesIO(zlib.decompress(base64.b64decode(JOURNAL)))
target = types.SimpleNamespace(log=logging.getLogger())
first = next(iter(JournalFile(file, target)))
print("expected: alpha, or a word about damage")
print("actual:  ", first["message"])
