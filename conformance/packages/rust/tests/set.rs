use walproof_vectors::{index, load, vectors, Lost};

#[test]
fn every_vector_loads_and_its_log_has_its_size() {
    let all = vectors(None).unwrap();
    let counts = index().unwrap()["counts"].clone();
    assert_eq!(all.len() as u64, counts["vectors"].as_u64().unwrap());
    let mut single = 0;
    for vector in &all {
        assert!(!vector.title.is_empty() && !vector.expect.verdict.is_empty(), "{}", vector.id);
        assert_eq!(vector.operation == "read", vector.expect_strict.is_some(), "{}", vector.id);
        let files = vector.files().unwrap();
        let size: usize = files.values().map(Vec::len).sum();
        assert_eq!(size as u64, vector.body["size"].as_u64().unwrap(), "{}", vector.id);
        single += usize::from(vector.path.is_file());
    }
    assert!(single > 1000);
    let of_one = vectors(Some("leveldb-log")).unwrap();
    assert_eq!(of_one.len() as u64, counts["by_format"]["leveldb-log"].as_u64().unwrap());
}

#[test]
fn an_answer() {
    let answer = load("leveldb-log/first-then-full").unwrap().expect;
    assert_eq!((answer.verdict.as_str(), answer.reason.as_deref()), ("damaged", Some("incomplete-record")));
    assert_eq!(answer.records[0].payload.as_deref(), Some(&b"alpha"[..]));
    let lost = Lost { file: None, from: 12, to: 24, reason: "incomplete-record".to_string() };
    assert_eq!(answer.lost, [lost]);
    assert!(load("leveldb-log/nobody").is_err());
}
