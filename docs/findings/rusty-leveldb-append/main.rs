use rusty_leveldb::{Options, DB};
use std::fs;

fn main() {
    let folder = "db";
    fs::remove_dir_all(folder).ok();
    let mut db = DB::open(folder, Options::default()).unwrap();
    db.put(b"one", b"1").unwrap();
    db.put(b"two", b"2").unwrap();
    db.flush().unwrap();
    drop(db);

    // A crash: the last byte of the log was not written.
    let logs = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let log = logs.filter(|path| path.extension().map_or(false, |end| end == "log")).max().unwrap();
    let size = fs::metadata(&log).unwrap().len();
    fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(size - 1).unwrap();

    let mut db = DB::open(folder, Options::default()).unwrap();
    db.put(b"three", b"3").unwrap();
    db.flush().unwrap();
    println!("before the restart: three is {}", state(&mut db));
    drop(db);

    let mut db = DB::open(folder, Options::default()).unwrap();
    println!("after the restart: three is {}", state(&mut db));
    std::process::exit(if db.get(b"three").is_some() { 0 } else { 1 });
}

fn state(db: &mut DB) -> &'static str {
    if db.get(b"three").is_some() { "there" } else { "missing" }
}
