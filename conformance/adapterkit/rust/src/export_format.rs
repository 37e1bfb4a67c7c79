//! The payload of a systemd journal record: the entry's fields in the export format.

use std::collections::BTreeSet;

/// Returns the fields except `_BOOT_ID` in the export format, sorted by their bytes, each one once.
pub fn body<'a>(fields: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let sorted: BTreeSet<Vec<u8>> = fields
        .filter(|(name, _)| *name != "_BOOT_ID")
        .map(|(name, value)| [name.as_bytes(), b"=", value].concat())
        .collect();
    sorted.iter().flat_map(|payload| field(payload)).collect()
}

/// Returns a field as the line `NAME=value` or, if it is not text, with the value's length.
fn field(payload: &[u8]) -> Vec<u8> {
    if is_line(payload) {
        return [payload, b"\n"].concat();
    }
    let equals = payload
        .iter()
        .position(|byte| *byte == b'=')
        .unwrap_or(payload.len() - 1);
    let (name, value) = (&payload[..equals], &payload[equals + 1..]);
    [
        name,
        b"\n",
        &(value.len() as u64).to_le_bytes(),
        value,
        b"\n",
    ]
    .concat()
}

fn is_line(payload: &[u8]) -> bool {
    std::str::from_utf8(payload).is_ok_and(|text| {
        !text.chars().any(|c| {
            let code = c as u32;
            (c.is_control() && c != '\t')
                || (0xfdd0..=0xfdef).contains(&code)
                || code & 0xfffe == 0xfffe
        })
    })
}
