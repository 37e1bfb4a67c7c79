"""journalctl --verify does not end."""

import base64
import pathlib
import subprocess
import tempfile
import zlib

JOURNAL = (  # a journal file of 2312 bytes, by zlib and Base64
    "eNrzCfAO9vAI8mBAA+WJOQVF+flpummZOam6mSlwfm5ickZmXiqjsmt65+qz72E0unoORqhBHBDKAsoXgApLoPE3"
    "QNVJQfmsaDTMuA/MUIaDnIQKFxsDg2c0mHbw9gELc0GlWdD8w4rqHAYmJHsZkeQVoPQOqIUWzKjmweQ9oPIP2FHd"
    "lwml39kkMfZsmxv4ghHVHQVQ8zxYUd0V7+TvHxLv6WJrYGhkbGJqZm5hmZiUnJKahs5Hc78BlK5eVihjI3c034IJ"
    "1X0wc2HO8IXSnN9E357e9PMXLvcxoIW7r2twsKO7qy0wmjMSkezXh9IHWDeaH0pw7dgBlZjAjqIPbo4XlF6s1tsg"
    "Of9Dwwsm7PZ3sEFomHMCgjz9gzxDIm3NsPt/cThDAa/adzdYfMHiBaYPZr8flI5snWzlttKRTYMFu/0N6PHj4R8c"
    "4ufo62qbkV9cgrDfEOb/ysJyLmYTeD6C+QuujwHVPw1o4QtLzw5O/BBxtPwlm5kZJmF0VRcWr+jpCxafGUzYwxfm"
    "X2iwMlig5TuYv09Aw4MDqlAALX3D0s/FjTviDqrlLq2Aqoe54wQL/vSTVJRYlo8kDksPjTIW+1//jTLfAQ1wmD9w"
    "mQdPD8bYwxUWPw5NuuBwbWiRwxquz0UKbz048vooRrgyYU8n6P6GuRs9XGEAV3gaQMOdXH2wcPCH0rcNChPtuiRO"
    "HICq10DTjys+kjMSi3IyUzHCD84/YgMOvwPHdLGG3/n1vLfecpnIo4cfoXQIi2eYu3GFA7r/0QF6uixWFvndqPPy"
    "L6z8gdmDrh89HFJSc0oSsaQjWPI7wOYDqW84bbGGQ/qeDIegNUe1SA0HWHzB3A1zlw+UfnOr89J3YfY/sPIMph6W"
    "DnD5JzU5I58BSz4TbH1TIXK4ew1MHywd4zIPns9MsOczWPmIXg+jh4/XsykTNc8HsBPKZ7B4Q/c3zN2wdBKBlg7Q"
    "3U8qAAD2ik52"
)
path = pathlib.Path(tempfile.mkdtemp()) / "case.journal"
path.write_bytes(zlib.decompress(base64.b64decode(JOURNAL)))

command = ["journalctl", "--verify", "--file", str(path)]
print("expected: --verify ends")
try:
    subprocess.run(command, timeout=10, capture_output=True)
    print("actual:   --verify ends")
except subprocess.TimeoutExpired:
    print("actual:   --verify still runs after 10 s")
