//! Writes after a crash are acknowledged and then lost.

use rusty_leveldb::{DB, Options};
use std::fs;

fn main() {
    let folder = std::env::temp_dir().join(format!("rusty-leveldb-{}", std::process::id()));
    let mut db = DB::open(&folder, Options::default()).unwrap();
    db.put(b"one", b"1").unwrap();
    db.put(b"two", b"2").unwrap();
    db.flush().unwrap();
    drop(db);

    // A crash: the last byte of the log did not arrive.
    let logs = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let log = logs.filter(|path| path.extension().map_or(false, |end| end == "log")).max().unwrap();
    let size = fs::metadata(&log).unwrap().len();
    fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(size - 1).unwrap();

    let mut db = DB::open(&folder, Options::default()).unwrap();
    db.put(b"three", b"3").unwrap();
    db.flush().unwrap();
    drop(db);

    let mut db = DB::open(&folder, Options::default()).unwrap();
    println!("expected: three is there");
    println!("actual:   three is {}", if db.get(b"three").is_some() { "there" } else { "lost" });
    fs::remove_dir_all(&folder).ok();
}
