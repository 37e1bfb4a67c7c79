//! The fields of a systemd journal entry in the export format, which is the payload of its record.

use std::collections::BTreeSet;

/// Returns each field once, sorted by its bytes, without `_BOOT_ID`.
pub fn body<'a>(fields: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let sorted: BTreeSet<Vec<u8>> = fields
        .filter(|(name, _)| *name != "_BOOT_ID")
        .map(|(name, value)| [name.as_bytes(), b"=", value].concat())
        .collect();
    sorted.iter().flat_map(|payload| field(payload)).collect()
}

/// Returns a field as the line `NAME=value` if it is text, otherwise with the length of the value.
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
