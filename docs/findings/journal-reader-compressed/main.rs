use std::fs::File;
use systemd_journal_reader::JournalReader;

fn main() {
    let mut reader = JournalReader::new(File::open("test.journal").unwrap()).unwrap();
    let mut messages = 0;
    while let Some(entry) = reader.next_entry() {
        if let Some(text) = entry.fields.get("MESSAGE") {
            println!("{:.20}", text);
            messages += 1;
        }
    }
    println!("{messages} of 3 messages");
    std::process::exit(if messages == 3 { 0 } else { 1 });
}
