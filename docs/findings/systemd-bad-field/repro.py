"""Entries after a field that cannot be decompressed are not shown."""

import base64
import pathlib
import subprocess
import tempfile
import zlib

JOURNAL = (  # a journal file of 2216 bytes, by zlib and Base64
    "eNrzCfAO9vAI8mAAAiYGBChPzCkoys9P003LzEnVzUyB83MTkzMy81IZlV3TO1effQ+j0dVzMELMWcAOoTOg/Aao"
    "+RJQvgOUb8EBFYfyWdBoqHKGCTABBzkJFS42hgNsPmCagdMWLMwJlWZlQAUwbUxYzGNBUh8ApW9AFd5gZiAKREDV"
    "c3Cg2jcBh/oOqHoJVuzyHFB7M6DhF8EGoXewY1f/ghGVRgcw4Uwo/c4mibFn29xAdHUCUIe/YEX1R7yTv39IvKeL"
    "rYGhkbGJqZm5hWViUnJKaho6Hy2cDaB09bJCGRu5o/kRzKjuhJkLc58vlOb8Jvr29KafvzqYsbsP3V++rsHBju6u"
    "tsBkmJGIZL8+lD7AutH8UIJrxw20cIXqg5vjBaUXq/U2SM7/0JDBjt1+A3ZUfwYEefoHeYZE2pph9//icIYCXrXv"
    "brD0AYt3mD6Y/X5QOrJ1spXbSke2EyzY7VdgQ7Un3sM/OMTP0dfVNiO/uAQhbgjzf2VhOReziQc8/TGj6YOKw4K7"
    "AS18YfnNwYkfIo6W/2UzM8MkjK7qwuIVlr5g6RwWn7B0DQtfmDtg/mWDlQc40mUGNNwOsKGWG+jp5+LGHXEH1XKX"
    "wsIZ5o4MVvzpJ6kosSwfSRyWHhplLPa//htljpE/cZgHTw/G2MMVFj8OTbrgcG1okcMars9FCm89OPL6KEa4MmNP"
    "J+j+hrkbV7jiCk8YIKQPF2CEehBWHvhcehN0MfzvM1j5BXMvzF708PtAFECEawF6+j1iA6kfjuliDVfGE8yXXeom"
    "mKOHK3r6hJW7MPfjCg90f+Aqf2Hps1hZ5Hejzsu/8PoDR/ijp8+U1JySRCRxTyhdM3VCKNv0EoxYwWWek4+/ky3D"
    "f656tPSoA6X/H5cQ55ifDque4fUOSB9yOBeg1a/o9TF6uD/seraem5dhJXq4w8pZWLjA7IP5CwCx9T9f"
)
path = pathlib.Path(tempfile.mkdtemp()) / "case.journal"
path.write_bytes(zlib.decompress(base64.b64decode(JOURNAL)))

command = ["journalctl", "--file", str(path), "--output", "export", "--quiet"]
shown = subprocess.run(command, capture_output=True)
there = shown.stdout.count(b"__CURSOR=") == 4
print("expected: the fourth entry is shown")
print("actual:   the fourth entry is", "shown" if there else "not shown")
