//! The protocol as the harness sees it: a process that reads and writes lines.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use adapterkit::{hex, json, Value};

/// The example `lines`, which Cargo builds before it runs the tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join("examples/lines")
}

/// Returns a separate directory for each test.
fn folder(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    place
}

/// Sends messages, then closes the pipe.
fn talk(messages: &[Value]) -> Output {
    let mut child = Command::new(program())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    for message in messages {
        // A process that has ended reads no more.
        let _ = writeln!(pipe, "{message}");
    }
    drop(pipe);
    child.wait_with_output().unwrap()
}

fn replies(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// Returns the replies of a process that exits correctly.
fn said(messages: &[Value]) -> Vec<Value> {
    let output = talk(messages);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    replies(&output)
}

fn asked(cmd: &str, path: &Path) -> Value {
    let mut request = json!({"cmd": cmd, "seq": 7, "format": "lines", "path": path, "context": {}});
    if cmd == "read" {
        request["profile"] = "recover".into();
    } else {
        request["records"] = json!([{"payload": hex::encode("bravo")}]);
    }
    request
}

fn log(place: &Path, contents: impl AsRef<[u8]>) -> PathBuf {
    let path = place.join("a.log");
    fs::write(&path, contents).unwrap();
    path
}

#[test]
fn hello_has_what_the_adapter_says_and_the_language() {
    let hello = &said(&[
        json!({"cmd": "hello", "protocol": 1}),
        json!({"cmd": "bye"}),
    ])[0];
    assert_eq!(hello["name"], "lines");
    assert_eq!(hello["language"], "Rust");
    assert_eq!(hello["profiles"], json!(["recover", "write", "append"]));
    assert_eq!(hello["reports"], json!(["records", "signals", "at"]));
}

#[test]
fn records_come_in_order_and_damage_is_a_signal_after_them() {
    let path = log(&folder("torn"), "alpha\n\nchar");
    let output = talk(&[asked("read", &path), json!({"cmd": "bye"})]);
    let expected = json!({"seq": 7, "answer": {
        "records": [{"at": 0, "payload": "616c706861"}, {"at": 6, "payload": ""}],
        "signals": ["unexpected end of file"],
    }});
    assert_eq!(replies(&output), [expected]);
    // Output of the implementation is not a reply.
    assert!(String::from_utf8_lossy(&output.stderr).contains("a line of 5 bytes"));
}

#[test]
fn a_line_of_more_than_a_mebibyte_is_taken() {
    let path = log(&folder("long"), "alpha\n");
    let mut request = asked("read", &path);
    request["no-such-key"] = "x".repeat(1 << 21).into();
    assert_eq!(said(&[request])[0]["answer"]["signals"], json!([]));
}

#[test]
fn nothing_at_the_path_is_skipped_and_made_by_a_write_only() {
    let place = folder("nothing");
    let path = place.join("a.log");
    let nothing = json!({"seq": 7, "skipped": "nothing is at this path"});
    let found = said(&[asked("read", &path), asked("append", &path)]);
    assert_eq!(found, [nothing.clone(), nothing]);
    assert!(!path.exists());
    let found = said(&[asked("write", &path), asked("append", &path)]);
    assert_eq!(found, vec![json!({"seq": 7, "done": true}); 2]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "bravo\nbravo\n");
}

#[test]
fn what_hello_does_not_offer_is_skipped_without_a_call() {
    let path = log(&folder("offer"), b"\xff\n"); // a call would panic
    let (mut format, mut profile) = (asked("read", &path), asked("read", &path));
    format["format"] = "other-log".into();
    profile["profile"] = "strict".into();
    let found = said(&[format, profile]);
    assert_eq!(found[0]["skipped"], "lines has no recover for other-log");
    assert_eq!(found[1]["skipped"], "lines has no strict for lines");
}

#[test]
fn an_adapter_may_decline() {
    let path = log(&folder("decline"), "alpha\n");
    let mut request = asked("read", &path);
    request["context"] = json!({"match": "alpha"});
    assert_eq!(
        said(&[request])[0],
        json!({"seq": 7, "skipped": "lines has no queries"})
    );
}

#[test]
fn an_error_of_a_writer_is_its_refusal() {
    let place = folder("refusal");
    let (old, new) = (log(&place, "alpha\n"), place.join("new.log"));
    let (mut append, mut write) = (asked("append", &old), asked("write", &new));
    for request in [&mut append, &mut write] {
        request["records"] = json!([{"payload": "62"}, {"payload": "0a"}]);
    }
    let refused = json!({"seq": 7, "refused": "a line cannot hold the end of a line"});
    assert_eq!(said(&[append, write]), vec![refused; 2]);
    assert_eq!(fs::read_to_string(&old).unwrap(), "alpha\n");
    assert!(!new.exists());
}

#[test]
fn a_writer_that_is_asked_to_says_what_is_durable_and_waits() {
    let path = folder("acknowledged").join("a.log");
    let mut request = asked("write", &path);
    request["records"] = json!([{"payload": "61"}, {"payload": "62"}]);
    request["acknowledge"] = true.into();
    let go_on = json!({"cmd": "go-on", "seq": 7});
    let expected = [
        json!({"seq": 7, "acknowledged": 1}),
        json!({"seq": 7, "acknowledged": 2}),
        json!({"seq": 7, "done": true}),
    ];
    assert_eq!(said(&[request, go_on.clone(), go_on]), expected);
    assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\n");
    let hello = &said(&[json!({"cmd": "hello", "protocol": 1})])[0];
    assert_eq!(hello["acknowledges"], true);
}

#[test]
fn a_panic_ends_the_process_without_a_reply() {
    let path = log(&folder("panic"), b"alpha\n\xff\n");
    let output = talk(&[asked("read", &path), asked("read", &path)]);
    assert_eq!(output.status.code(), Some(101));
    assert_eq!(replies(&output), [] as [Value; 0]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("only ASCII was ever written"));
}

#[test]
fn what_is_not_the_readers_doing_ends_the_process() {
    let place = folder("unreadable"); // a directory, not a file
    let output = talk(&[asked("read", &place)]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(replies(&output), [] as [Value; 0]);
}

#[test]
fn a_message_that_makes_no_sense_ends_the_process() {
    let output = talk(&[json!({"cmd": "read", "seq": 7})]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no format"));
}

#[test]
fn the_one_shot_form_prints_the_answer_alone() {
    let path = log(&folder("one-shot"), "alpha\n");
    let one_shot = |words: &[&str]| Command::new(program()).args(words).output().unwrap();
    let output = one_shot(&["read", "lines", path.to_str().unwrap()]);
    let expected = json!({"records": [{"at": 0, "payload": "616c706861"}], "signals": []});
    assert_eq!(
        (replies(&output), output.status.code()),
        (vec![expected], Some(0))
    );
    let output = one_shot(&["read", "lines", "/no/such.log"]);
    let expected = json!({"skipped": "nothing is at this path"});
    assert_eq!(
        (replies(&output), output.status.code()),
        (vec![expected], Some(0))
    );
    assert_eq!(one_shot(&["wrote"]).status.code(), Some(1));
}
