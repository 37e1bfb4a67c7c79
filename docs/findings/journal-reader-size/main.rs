use std::fs;
use systemd_journal_reader::JournalReader;

fn main() {
    let mut data = fs::read("test.journal").unwrap();
    let payload = b"MESSAGE=hello";
    let at = data.windows(payload.len()).position(|bytes| bytes == payload).unwrap();
    let header = if data[12] & 16 != 0 { 72 } else { 64 }; // size of the DATA object's header, compact or not
    data[at - header + 8 + 7] ^= 0x80; // one bit: the highest of its size
    let read = std::panic::catch_unwind(|| {
        let mut reader = JournalReader::new(data.as_slice()).unwrap();
        let mut entries = 0;
        while reader.next_entry().is_some() {
            entries += 1;
        }
        entries
    });
    match read {
        Ok(entries) => println!("read {entries} entries"),
        Err(_) => {
            println!("next_entry panicked");
            std::process::exit(1);
        }
    }
}
