//! Streams: bytes, a position, and the bits that are left of the last byte.

use crate::{KError, KResult, ReaderState};
use std::path::Path;
use std::rc::Rc;

/// A stream over bytes in memory. A clone shares the bytes and has its own position.
#[derive(Debug, Default, Clone)]
pub struct BytesReader {
    bytes: Rc<Vec<u8>>,
    state: ReaderState,
}

impl BytesReader {
    pub fn open<T: AsRef<Path>>(path: T) -> KResult<Self> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) => Err(KError::IoError { msg: error.to_string() }),
        }
    }
}

impl From<Vec<u8>> for BytesReader {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: Rc::new(bytes), state: ReaderState::default() }
    }
}

impl From<&[u8]> for BytesReader {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl KStream for BytesReader {
    fn clone(&self) -> BytesReader {
        Clone::clone(self)
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }
}

macro_rules! numbers {
    ($($name:ident $type:ty, $from:ident;)*) => {
        $(fn $name(&self) -> KResult<$type> {
            let bytes = self.read_bytes(std::mem::size_of::<$type>())?;
            Ok(<$type>::$from(bytes.try_into().expect("as many as were asked for")))
        })*
    };
}

pub trait KStream {
    fn clone(&self) -> BytesReader;
    fn bytes(&self) -> &[u8];
    fn state(&self) -> &ReaderState;

    fn size(&self) -> usize {
        self.bytes().len()
    }

    fn pos(&self) -> usize {
        self.state().pos.get()
    }

    fn is_eof(&self) -> bool {
        self.state().bits_left.get() == 0 && self.pos() >= self.size()
    }

    fn seek(&self, position: usize) -> KResult<()> {
        self.align_to_byte()?;
        self.state().pos.set(position);
        Ok(())
    }

    fn align_to_byte(&self) -> KResult<()> {
        self.state().bits_left.set(0);
        Ok(())
    }

    numbers! {
        read_u1 u8, from_le_bytes; read_s1 i8, from_le_bytes;
        read_u2le u16, from_le_bytes; read_u4le u32, from_le_bytes; read_u8le u64, from_le_bytes;
        read_s2le i16, from_le_bytes; read_s4le i32, from_le_bytes; read_s8le i64, from_le_bytes;
        read_u2be u16, from_be_bytes; read_u4be u32, from_be_bytes; read_u8be u64, from_be_bytes;
        read_s2be i16, from_be_bytes; read_s4be i32, from_be_bytes; read_s8be i64, from_be_bytes;
        read_f4le f32, from_le_bytes; read_f8le f64, from_le_bytes;
        read_f4be f32, from_be_bytes; read_f8be f64, from_be_bytes;
    }

    /// Reads bits, the most significant bit of each byte first.
    fn read_bits_int_be(&self, count: usize) -> KResult<u64> {
        let mut bits = 0;
        for _ in 0..self.checked(count)? {
            let left = self.next_bits()? - 1;
            self.state().bits_left.set(left);
            bits = bits << 1 | u64::from(self.state().byte.get() >> left & 1);
        }
        Ok(bits)
    }

    /// Reads bits, the least significant bit of each byte first.
    fn read_bits_int_le(&self, count: usize) -> KResult<u64> {
        let mut bits = 0;
        for at in 0..self.checked(count)? {
            let left = self.next_bits()?;
            self.state().bits_left.set(left - 1);
            bits |= u64::from(self.state().byte.get() >> (8 - left) & 1) << at;
        }
        Ok(bits)
    }

    fn read_bytes(&self, len: usize) -> KResult<Vec<u8>> {
        self.align_to_byte()?;
        let available = self.size().saturating_sub(self.pos());
        if len > available {
            return Err(KError::Eof { requested: len, available });
        }
        let start = self.pos();
        self.state().pos.set(start + len);
        Ok(self.bytes()[start..start + len].to_vec())
    }

    fn read_bytes_full(&self) -> KResult<Vec<u8>> {
        self.read_bytes(self.size().saturating_sub(self.pos()))
    }

    fn read_bytes_term(
        &self,
        term: u8,
        include: bool,
        consume: bool,
        eos_error: bool,
    ) -> KResult<Vec<u8>> {
        let rest = self.bytes().get(self.pos()..).unwrap_or_default();
        match rest.iter().position(|&byte| byte == term) {
            None if eos_error => Err(KError::NoTerminatorFound),
            None => self.read_bytes_full(),
            Some(end) => {
                let mut bytes = self.read_bytes(end + 1)?;
                if !consume {
                    self.state().pos.set(self.pos() - 1);
                }
                bytes.truncate(end + usize::from(include));
                Ok(bytes)
            }
        }
    }

    /// Reads up to a terminator of several bytes, at a multiple of its length.
    fn read_bytes_term_multi(
        &self,
        term: &[u8],
        include: bool,
        consume: bool,
        eos_error: bool,
    ) -> KResult<Vec<u8>> {
        let rest = self.bytes().get(self.pos()..).unwrap_or_default();
        match find_unit(rest, term) {
            None if eos_error => Err(KError::NoTerminatorFound),
            None => self.read_bytes_full(),
            Some(end) => {
                let mut bytes = self.read_bytes(end + if consume { term.len() } else { 0 })?;
                bytes.truncate(end);
                bytes.extend_from_slice(if include { term } else { &[] });
                Ok(bytes)
            }
        }
    }

    #[doc(hidden)]
    fn checked(&self, count: usize) -> KResult<usize> {
        if count > 64 {
            return Err(KError::ReadBitsTooLarge { requested: count });
        }
        Ok(count)
    }

    /// Returns the number of bits left in the current byte, after reading another byte if there are
    /// none.
    #[doc(hidden)]
    fn next_bits(&self) -> KResult<u32> {
        if self.state().bits_left.get() == 0 {
            self.state().byte.set(self.read_u1()?);
            self.state().bits_left.set(8);
        }
        Ok(self.state().bits_left.get())
    }
}

/// Returns the bytes without the padding at the end.
pub fn bytes_strip_right(bytes: &Vec<u8>, pad: u8) -> Vec<u8> {
    let len = bytes.iter().rposition(|&byte| byte != pad).map_or(0, |last| last + 1);
    bytes[..len].to_vec()
}

/// Returns the bytes up to the first terminator.
pub fn bytes_terminate(bytes: &Vec<u8>, term: u8, include: bool) -> Vec<u8> {
    let end = bytes.iter().position(|&byte| byte == term);
    bytes[..end.map_or(bytes.len(), |end| end + usize::from(include))].to_vec()
}

/// Returns the bytes up to the first terminator of several bytes.
pub fn bytes_terminate_multi(bytes: &Vec<u8>, term: &[u8], include: bool) -> Vec<u8> {
    let end = find_unit(bytes, term).map(|end| end + if include { term.len() } else { 0 });
    bytes[..end.unwrap_or(bytes.len())].to_vec()
}

/// Returns the offset of a terminator at a multiple of its length.
fn find_unit(bytes: &[u8], term: &[u8]) -> Option<usize> {
    bytes.chunks_exact(term.len()).position(|unit| unit == term).map(|unit| unit * term.len())
}

/// Returns bytes as text in one of the encodings that this runtime has.
pub fn bytes_to_str(bytes: &Vec<u8>, encoding: &str) -> KResult<String> {
    let units = |from: fn([u8; 2]) -> u16| -> String {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match encoding.to_ascii_uppercase().as_str() {
        "UTF-8" | "ASCII" => Ok(String::from_utf8_lossy(bytes).into_owned()),
        "ISO-8859-1" => Ok(bytes.iter().map(|&byte| char::from(byte)).collect()),
        "UTF-16LE" => Ok(units(u16::from_le_bytes)),
        "UTF-16BE" => Ok(units(u16::from_be_bytes)),
        _ => Err(KError::UnknownEncoding { name: encoding.to_string() }),
    }
}

pub fn process_xor_one(bytes: &Vec<u8>, key: u8) -> Vec<u8> {
    bytes.iter().map(|byte| byte ^ key).collect()
}

pub fn process_xor_many(bytes: &Vec<u8>, key: &Vec<u8>) -> Vec<u8> {
    bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect()
}

pub fn process_rotate_left(bytes: &Vec<u8>, amount: u8) -> Vec<u8> {
    bytes.iter().map(|byte| byte.rotate_left(u32::from(amount))).collect()
}

/// Returns the remainder, which is never negative.
pub fn modulo(a: i64, b: i64) -> i64 {
    a.rem_euclid(b)
}
