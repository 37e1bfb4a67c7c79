//! Readers that are tables: the project's own tests give one to the runner of every language.

use serde_json::{Map, Value};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io, thread, time};
use walproof_vectors::runner::{below, canonical, run, Declined, Options, Record, Request, Said, Subject};
use walproof_vectors::sha256;

struct Table {
    acts: Value,
}

impl Subject for Table {
    fn read(&self, request: &Request) -> Result<Said, Declined> {
        let act = self.act(request)?;
        let mut others = act["answer"].as_object().cloned().unwrap_or_default();
        let records = others.remove("records").unwrap_or_default();
        let signals = others.remove("signals").unwrap_or_default();
        Ok(Said {
            records: records.as_array().into_iter().flatten().map(record).collect(),
            signals: signals.as_array().into_iter().flatten().map(|one| one.as_str().unwrap().into()).collect(),
            others,
        })
    }

    fn write(&self, request: &Request) -> Result<(), Declined> {
        self.act(request).map(|_| ())
    }

    fn append(&self, request: &Request) -> Result<(), Declined> {
        self.act(request).map(|_| ())
    }
}

fn record(one: &Value) -> Record {
    let mut fields = one.as_object().cloned().unwrap();
    let payload = bytes(&fields.remove("payload").unwrap());
    Record { payload, fields }
}

fn bytes(hex: &Value) -> Vec<u8> {
    let pairs = hex.as_str().unwrap().as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Table {
    fn act(&self, asked: &Request) -> Result<&Value, Declined> {
        let records = asked.records.iter().map(|one| {
            let mut fields: Map<String, Value> = one.fields.clone();
            fields.insert("payload".into(), hex(&one.payload).into());
            Value::Object(fields)
        });
        let parts = [
            asked.format.clone(),
            asked.profile.to_string(),
            asked.path.file_name().unwrap().to_string_lossy().into_owned(),
            canonical(&asked.context),
            contents(&asked.path),
            canonical(&records.collect()),
        ];
        let act = &self.acts[sha256(parts.join("\n").as_bytes())];
        if act.is_null() {
            return Err(Declined::Skip("not in the table".into()));
        }
        if let Some(why) = act["skip"].as_str() {
            return Err(Declined::Skip(why.into()));
        }
        while !act["hang"].is_null() {
            thread::sleep(time::Duration::from_secs(3600));
        }
        if let Some(why) = act["raise"].as_str() {
            panic!("{why}");
        }
        if !act["change"].is_null() {
            change(&asked.path).unwrap();
        }
        if let Some(why) = act["refuse"].as_str() {
            return Err(Declined::Refused(why.into()));
        }
        if let Some(files) = act["files"].as_object() {
            leave(&asked.path, files).unwrap();
        }
        Ok(act)
    }
}

fn change(path: &Path) -> io::Result<()> {
    let last = if path.is_dir() { below(path).into_keys().last() } else { None };
    let target = last.map_or(path.to_path_buf(), |name| path.join(name));
    fs::OpenOptions::new().create(true).append(true).open(target)?.write_all(&[0])
}

fn leave(path: &Path, files: &Map<String, Value>) -> io::Result<()> {
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    } else if path.exists() {
        fs::remove_file(path)?;
    }
    for (name, data) in files {
        let target = path.parent().unwrap().join(name);
        fs::create_dir_all(target.parent().unwrap())?;
        fs::write(target, bytes(data))?;
    }
    Ok(())
}

fn contents(path: &Path) -> String {
    if path.is_file() {
        return sha256(&fs::read(path).unwrap());
    }
    if !path.exists() {
        return "-".into();
    }
    let line = |name: &String| format!("{}  {name}\n", sha256(&fs::read(path.join(name)).unwrap()));
    sha256(below(path).keys().map(line).collect::<String>().as_bytes())
}

fn main() -> ExitCode {
    let Some(folder) = env::var_os("WALPROOF_TABLES") else {
        return ExitCode::SUCCESS;
    };
    std::panic::set_hook(Box::new(|_| {})); // many are meant to
    let mut failed = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().map_or(true, |one| one != "json") {
            continue;
        }
        let made: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let texts = |name: &str| -> &'static [&'static str] {
            let all = made[name].as_array().unwrap().iter();
            Vec::leak(all.map(|one| &*Box::leak(one.as_str().unwrap().to_string().into_boxed_str())).collect())
        };
        for format in texts("formats") {
            let chosen = texts("vectors");
            let options = Options {
                format,
                reports: texts("reports"),
                profiles: texts("profiles"),
                known: Some(path.with_extension("known")),
                choose: Box::new(move |vector| chosen.contains(&vector.id.as_str())),
                patience: made["patience"].as_u64().unwrap(),
                results: Some(path.with_extension("rust")),
            };
            failed += run(&options, Table { acts: made["acts"].clone() }).unwrap();
        }
    }
    ExitCode::from(u8::from(failed > 0))
}
