from pathlib import Path

import pytest
from dfindexeddb.leveldb import log
from walproof_vectors.testing import Request, Subject, cases


class Undecoded:
    """Stands in for a write batch: the record as it was handed over, and where it begins."""

    @staticmethod
    def FromBytes(raw_data, base_offset=0):
        record = {"payload": bytes(raw_data)}
        if base_offset:
            record["at"] = base_offset - log.PhysicalRecord.PHYSICAL_HEADER_LENGTH
        return record


def read(asked: Request) -> dict:
    """The records released up to the first exception, and what that said."""
    answer = {"records": [], "signals": []}
    log.WriteBatch = Undecoded
    try:
        for record in log.FileReader(str(asked.path)).GetWriteBatches():
            answer["records"].append(record)
    except Exception as error:
        answer["signals"].append(f"{type(error).__name__}: {error}")
    return answer


SUBJECT = Subject(
    read=read,
    reports=["records", "at", "signals"],
    known=Path(__file__).with_name("known-failures.json"),
)


@pytest.mark.parametrize("case", cases("leveldb-log", SUBJECT), ids=str)
def test_vector(case) -> None:
    case.check()
