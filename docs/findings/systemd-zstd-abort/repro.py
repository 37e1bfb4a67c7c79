"""journalctl aborts on a frame that ends early."""

import base64
import pathlib
import subprocess
import tempfile
import zlib

JOURNAL = (  # a journal file of 2216 bytes, by zlib and Base64
    "eNrzCfAO9vAI8mAAAg4GBChPzCkoys9P003LzEnVzUyB83MTkzMy81IZlV3TO1effQ+j0dVzMELMWcAOoTOg/Aao"
    "+RJQvgOUbwG1XALKZ0GjocoZJsAEHOQkVLjYGA6w+YBpBk5bsDAnVJqVARXAtDFhMY8FSX0AlL4BVXiDmYEoEAFV"
    "z8GBat8EHOo7oOolWLHLc0DtzYCGXwQbhN7Bjl39C0ZUGh3AhDOh9DubJMaebXMD0dUJQB3+ghXVH/FO/v4h8Z4u"
    "tgaGRsYmpmbmFpaJSckpqWnofLRwNoDS1csKZWzkjuZHMKO6E2YuzH2+UJrzm+jb05t+/upgxu4+dH/5ugYHO7q7"
    "2gKTYUYikv36UPoA60bzQwmuHTfQwhWqD26OF5RerNbbIDn/Q0MGO3b7DdhR/RkQ5Okf5BkSaWuG3f+LwxkKeNW+"
    "u8HSByzeYfpg9vtB6cjWyVZuKx3ZTrBgt1+BDdWeeA//4BA/R19X24z84hKEuCHM/5WF5VzMJh7w9MeMpg8qDgvu"
    "BrTwheU3Byd+iDha/pfNzAyTMLqqC4tXWPqCpXNYfMLSNSx8Ye6A+ZcNVh7gSJcZ0HA7wIZabqCnn4sbd8QdVMtd"
    "CgtnmDsyWPGnn6SixLJ8JHFYemiUsdj/+m+UOUb+xGEePD0YYw9XWPw4NOmCw7WhRQ5ruD4XKbz14Mjroxjhyow9"
    "naD7G+ZuXOGKKzxhgJA+XIAR6p4oKN/n0pugi+F/n8HKL5h7Yfaih5/GVv2/CTcYjwJjDhY1sCpGgZGhc6OWN2q4"
    "FqCn3yM2kPrhmC7WcGU8wXzZpW6COXq4oqdPWLkLcz+u8ED3B67yF5Y+i5VFfjfqvPwLrz9whD96+kxJzSlJRBL3"
    "hNI1UyeEsk0vwYgVXOY5+fg72TL856pHS486UPr/cQlxjvnpsOoZXu+A9GELdxZ4OKDWx+jh/rDr2XpuXoaV6OEO"
    "K2dh4QKzD+YvAAJiJ8Y="
)
path = pathlib.Path(tempfile.mkdtemp()) / "case.journal"
path.write_bytes(zlib.decompress(base64.b64decode(JOURNAL)))

command = ["journalctl", "--file", str(path), "--output", "export", "--quiet"]
shown = subprocess.run(command, capture_output=True)
print("expected: exit")
print("actual:  ", "aborted by signal 6" if shown.returncode in (-6, 134) else "exit")
