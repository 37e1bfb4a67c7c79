//! DB::flush asks the system to put nothing on the disk.

use rusty_leveldb::{DB, Options};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

static SYNCS: AtomicUsize = AtomicUsize::new(0);

// Every way in which a program of Unix makes a file durable: the linker takes these for those of libc.
#[unsafe(no_mangle)]
pub extern "C" fn fsync(_file: i32) -> i32 {
    SYNCS.fetch_add(1, Ordering::SeqCst);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn fdatasync(_file: i32) -> i32 {
    SYNCS.fetch_add(1, Ordering::SeqCst);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn msync(_address: *mut u8, _length: usize, _flags: i32) -> i32 {
    SYNCS.fetch_add(1, Ordering::SeqCst);
    0
}

fn main() {
    let folder = std::env::temp_dir().join(format!("rusty-leveldb-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = fs::File::create(folder.join("counted")).unwrap();
    file.sync_all().unwrap();
    file.sync_data().unwrap();
    assert_eq!(SYNCS.swap(0, Ordering::SeqCst), 2, "what is called here is counted");

    let mut db = DB::open(folder.join("db"), Options::default()).unwrap();
    for number in 0..10u8 {
        // "in order to make sure that the written entry is on disk, call `flush()` afterwards"
        db.put(&[number], b"a value").unwrap();
        db.flush().unwrap();
    }
    println!("expected: 10 flushed writes are synced");
    match SYNCS.load(Ordering::SeqCst) {
        0 => println!("actual:   10 flushed writes, and no call of fsync, fdatasync or msync"),
        1..=9 => println!("actual:   10 flushed writes, and fewer calls of fsync, fdatasync or msync"),
        _ => println!("actual:   10 flushed writes are synced"),
    }
    fs::remove_dir_all(&folder).ok();
}
