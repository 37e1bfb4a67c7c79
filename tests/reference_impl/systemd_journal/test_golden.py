"""Values agree with upstream's tests and sources, and with real files."""

import pytest

from conformance.recipes.systemd_journal.log import KEY
from reference_impl.systemd_journal.hashes import jenkins64, siphash24
from reference_impl.systemd_journal.sealing import BadKey, VerificationKey

SIP_KEY = bytes(range(16))


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", 0xDEADBEEFDEADBEEF),
        (b"a", 0x58D68708582647AC),
        (b"MESSAGE=hello 0", 0xFC4F9C4AA5439ACA),
        (b"_HOSTNAME=host", 0x0641A9463A938559),
        (b"PRIORITY", 0x46F7260D700057A3),
        (b"123456789012", 0xB578F5B027F9A1C5),
        (b"1234567890123", 0xDE86D9F5FF79C7AF),
        (b"MESSAGE=", 0x81A61D5614C582A5),
        (bytes(range(256)), 0xE20E08336177BD01),
    ],
)
def test_jenkins(data: bytes, expected: int) -> None:
    assert jenkins64(data) == expected


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", 0x726FDB47DD0E0E31),
        (bytes(range(15)), 0xA129CA6149BE45E5),
        (b"MESSAGE=hello 0", 0xB3A5456A6DB919D3),
    ],
)
def test_siphash(data: bytes, expected: int) -> None:
    assert siphash24(data, SIP_KEY) == expected


def test_keys_of_epochs() -> None:
    key = VerificationKey.parse("c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900")
    assert key.hmac_key(0).hex().startswith("ee998a1d") and key.hmac_key(0).hex().endswith("26b7da")
    assert key.hmac_key(1).hex().startswith("126f2d3f") and key.hmac_key(1).hex().endswith("c33c33")
    assert key.hmac_key(17).hex().startswith("4f70c40b")
    zeros = VerificationKey(bytes(12), 0, 1)
    assert zeros.hmac_key(0).hex().startswith("321399ca")
    assert zeros.hmac_key(1).hex().startswith("07671bc9")


def test_any_number_of_dashes_may_stand_before_a_byte() -> None:
    key = VerificationKey.parse("--60---c6dd60e930b562e986b6ff/ab344fa-989680")
    assert key == VerificationKey.parse(KEY)


def test_the_key_may_go_without_dashes() -> None:
    assert VerificationKey.parse("60c6dd60e930b562e986b6ff/ab344fa-989680") == (
        VerificationKey.parse(KEY)
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "60c6dd", "60c6dd-60e930-b562e9-86b6ff/", KEY + "x", KEY.replace("60", "6-0", 1)),
        *(f" {KEY}", f"{KEY}\n", KEY.replace("/", "-/")),
    ],
)
def test_invalid_keys_are_refused(text: str) -> None:
    with pytest.raises(BadKey):
        VerificationKey.parse(text)
