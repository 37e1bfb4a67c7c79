//! The lines of a listing.

use adapterkit::hex;
use sha2::{Digest, Sha256};

/// An offset in the file, if it is known.
pub type At = Option<usize>;

/// A value that has no fields.
pub trait Said {
    fn said(&self) -> String;

    /// Returns the size of the value in the file if that is the value's length, otherwise 0.
    fn len_in_file(&self) -> usize {
        0
    }
}

macro_rules! integers {
    ($($type:ty)*) => { $(impl Said for $type {
        fn said(&self) -> String {
            format!("i {}", *self as i64)
        }
    })* };
}
integers!(u8 i8 u16 i16 u32 i32 u64 i64 usize bool);

macro_rules! floats {
    ($($type:ty)*) => { $(impl Said for $type {
        fn said(&self) -> String {
            format!("f {:016x}", f64::from(*self).to_bits())
        }
    })* };
}
floats!(f32 f64);

impl Said for Vec<u8> {
    fn said(&self) -> String {
        if self.len() <= 32 {
            return format!("b {} {}", self.len(), hex::encode(self));
        }
        format!("b {} sha256:{}", self.len(), hex::encode(&Sha256::digest(self)[..8]))
    }

    fn len_in_file(&self) -> usize {
        self.len()
    }
}

impl Said for String {
    fn said(&self) -> String {
        self.as_bytes().to_vec().said()
    }
}

#[derive(Default)]
pub struct Listing {
    pub lines: Vec<String>,
}

impl Listing {
    pub fn say(&mut self, name: &str, at: At, said: &str) {
        let shown = at.map_or("-".to_string(), |at| at.to_string());
        self.lines.push(format!("{name} {shown} {said}"));
    }
}

pub fn joined(name: &str, id: &str) -> String {
    if name.is_empty() { id.to_string() } else { format!("{name}.{id}") }
}
