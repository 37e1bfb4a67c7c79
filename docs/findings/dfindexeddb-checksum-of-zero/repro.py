"""Records after a checksum that reads as zero are not found."""

import pathlib
import tempfile

from dfindexeddb.leveldb import log

LOG = bytes.fromhex(
    "5a9140c019000101000000000000000100000001046b6579300676616c7565300000000019000102"
    "000000000000000100000001046b6579310676616c756531aee33ec9190001030000000000000001"
    "00000001046b6579320676616c756532"
)
path = pathlib.Path(tempfile.mkdtemp()) / "000003.log"
path.write_bytes(LOG)
found = []
for batch in log.FileReader(str(path)).GetWriteBatches():
    found += [one.value.decode() for one in batch.records]
print("expected: all values, or a word about what was not read")
print("actual:  ", found)
