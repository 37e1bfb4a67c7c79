use serde_json::{json, Value};
use std::path::PathBuf;
use std::{env, fs, process};
use walproof_vectors::runner::{canonical, ranges, run, Known, Options, Subject};
use walproof_vectors::{load, sha256, vectors};

fn written() -> Value {
    let entry = |vector: &str, profile: &str, result: &str, difference: &str| {
        json!({"vector": vector, "profile": profile, "result": result, "difference": difference, "cause": "why"})
    };
    json!({"causes": {"why": "Because."}, "failures": [
        entry("a/one", "recover", "fail", "records [0123abcd]"),
        entry("a/two", "append", "fail", "files [0123abcd]"),
        entry("a/three", "recover", "crash", "it fell"),
    ]})
}

fn file(name: &str, body: &Value) -> PathBuf {
    let path = env::temp_dir().join(format!("walproof-known-{}-{name}.json", process::id()));
    fs::write(&path, body.to_string()).unwrap();
    path
}

#[test]
fn the_list_is_strict_both_ways() {
    let path = file("strict", &written());
    let known = Known::load(&path).unwrap();
    fs::remove_file(&path).unwrap();
    for (vector, profile, class, difference, expected) in [
        ("a/one", "recover", "fail", "in other words [0123abcd]", "known-failure"),
        ("a/one", "recover", "fail", "records [ffffffff]", "fail"),
        ("a/one", "recover", "crash", "", "crash"),
        ("a/one", "recover", "pass", "", "unexpected-pass"),
        ("a/one", "recover", "skipped", "not today", "skipped"),
        ("a/one", "strict", "fail", "records [0123abcd]", "fail"),
        ("a/two", "append", "fail", "whatever", "known-failure"),
        ("a/three", "recover", "crash", "elsewhere", "known-failure"),
        ("a/four", "recover", "pass", "", "pass"),
    ] {
        let (found, why) = known.compared(vector, profile, class, difference);
        assert_eq!(found, expected, "{vector} {profile} {class}");
        assert_eq!(found == "known-failure", why == "Because.");
    }
    assert_eq!(known.strangers("a", &["a/one", "a/two"]), ["a/three"]);
}

#[test]
fn an_update_writes_what_is_new_and_takes_off_what_is_right() {
    let path = file("update", &written());
    let mut known = Known::load(&path).unwrap();
    for (vector, profile, class, difference, expected) in [
        ("a/one", "recover", "pass", "", "pass"),
        ("a/two", "append", "fail", "whatever", "known-failure"),
        ("a/three", "recover", "fail", "é \" [ffffffff]", "known-failure"),
        ("a/four", "recover", "timeout", "no answer", "known-failure"),
        ("a/five", "recover", "skipped", "not today", "skipped"),
        ("a/six", "recover", "pass", "", "pass"),
    ] {
        assert_eq!(known.updated(vector, profile, class, difference).unwrap().0, expected, "{vector}");
    }
    let after: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let entry = |vector: &str, profile: &str, result: &str, difference: &str, cause: &str| {
        json!({"vector": vector, "profile": profile, "result": result, "difference": difference, "cause": cause})
    };
    assert_eq!(after, json!({"causes": {"unexplained": "", "why": "Because."}, "failures": [
        entry("a/four", "recover", "timeout", "no answer", "unexplained"),
        entry("a/three", "recover", "fail", "é \" [ffffffff]", "why"),
        entry("a/two", "append", "fail", "files [0123abcd]", "why"),
    ]}));
    assert_eq!(Known::load(&path).unwrap().compared("a/three", "recover", "fail", "[ffffffff]").0, "known-failure");
    known.forget(&["a/four", "a/three", "a/two"].map(String::from)).unwrap();
    assert!(!path.exists(), "an empty list is removed");
}

struct Nobody;
impl Subject for Nobody {}

#[test]
fn a_list_that_does_not_hold_together_is_refused() {
    let mut body = written();
    body["causes"] = json!({});
    let path = file("causes", &body);
    assert!(Known::load(&path).is_err());
    fs::remove_file(path).unwrap();

    let mut body = written();
    body["failures"][0]["vector"] = json!("leveldb-log/gone");
    let path = file("gone", &body);
    let options = Options { format: "leveldb-log", known: Some(path.clone()), ..Options::default() };
    assert!(run(&options, Nobody).unwrap_err().to_string().contains("leveldb-log/gone"));
    fs::remove_file(path).unwrap();
    assert!(run(&Options { format: "nothing", ..Options::default() }, Nobody).is_err());
}

#[test]
fn canonical_texts_and_covered_bytes() {
    let value: Value = serde_json::from_str(r#"{"b": [1, true, null], "a": "é\u007f\n\"🦀 ~"}"#).unwrap();
    assert_eq!(canonical(&value), r#"{"a": "\u00e9\u007f\n\"\ud83e\udd80 ~", "b": [1, true, null]}"#);
    let lost = json!([{"from": 4, "to": 9}, {"from": 1, "to": 4}, {"from": 20, "to": 20}]);
    let found = ranges(&lost, false);
    assert_eq!((found.len(), found[0].1, found[0].2), (1, 1, 9));
}

#[test]
fn hashes_are_those_of_the_vectors() {
    assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let of_files = vectors(Some("leveldb-log")).unwrap().into_iter().filter(|one| one.path.is_file());
    let mut count = 0;
    for vector in of_files {
        let data = vector.files().unwrap().into_values().next().unwrap();
        assert_eq!(sha256(&data), vector.body["sha256"], "{}", vector.id);
        count += 1;
    }
    assert!(count > 100 && load("leveldb-log/one-record").is_ok());
}
