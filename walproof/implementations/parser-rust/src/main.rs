//! Driver of the Rust parsers: lists the fields that they find (walproof/parsers/README.md).

mod listing;
mod walker;

use adapterkit::{hex, json, Hello, Outcome, Value};
use sha2::{Digest, Sha256};

const HELLO: Hello = Hello {
    name: "parser-rust",
    version: "0.11.0",
    formats: &["*"],
    profiles: &["structure"],
    reports: &["structure", "unknown-enums"],
    homepage: "https://kaitai.io",
    issues: "https://github.com/kaitai-io/kaitai_struct/issues",
};

fn reply(request: &Value) -> Value {
    let seq = &request["seq"];
    let Some(grammar) = request["grammar"].as_str() else {
        return json!({"seq": seq, "skipped": "lists fields only"});
    };
    let path = request["path"].as_str().expect("a path");
    let bytes = std::fs::read(path).expect("a file that can be read");
    let Some(lines) = walker::listing(grammar, bytes) else {
        return json!({"seq": seq, "skipped": format!("no parser of {grammar}")});
    };
    let mut digest = Sha256::new();
    for line in &lines {
        digest.update(line);
        digest.update("\n");
    }
    let mut structure = json!({"fields": lines.len(), "sha256": hex::encode(digest.finalize())});
    if request["listing"] == true {
        structure["listing"] = json!(lines);
    }
    json!({"seq": seq, "structure": structure})
}

fn main() -> Outcome<()> {
    std::panic::set_hook(Box::new(|_| ())); // an instance that cannot be computed is a line of the listing, not a message
    adapterkit::serve(&HELLO.to_json(), |request| Ok(reply(request).to_string()))
}
