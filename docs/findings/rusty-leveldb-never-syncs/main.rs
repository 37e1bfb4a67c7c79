use rusty_leveldb::{Options, WriteBatch, DB};
use std::process::Command;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("write") {
        let mut db = DB::open("db", Options::default()).unwrap();
        for number in 0..10u8 {
            let mut batch = WriteBatch::default();
            batch.put(&[number], b"value");
            db.write(batch, true).unwrap(); // true: sync
            db.flush().unwrap();
        }
        db.close().unwrap();
        return;
    }
    std::fs::remove_dir_all("db").ok();
    let status = Command::new("strace")
        .args(["-f", "-o", "calls.txt", "-e", "trace=fsync,fdatasync,msync,sync_file_range,sync,syncfs"])
        .arg(std::env::current_exe().unwrap())
        .arg("write")
        .status()
        .expect("strace is needed");
    assert!(status.success());
    let calls = std::fs::read_to_string("calls.txt").unwrap();
    let syncs = calls.lines().filter(|line| line.contains("sync")).count();
    println!("10 synced writes and 10 flushes: {syncs} sync calls");
    std::process::exit(if syncs >= 10 { 0 } else { 1 });
}
