//! The loop of requests and replies.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

use serde_json::{json, Value};

use crate::{Acknowledge, Adapter, Answer, Outcome, Request, Skip};

/// Serves the protocol until `bye` or the end of stdin, or answers the one-shot form.
pub fn run(adapter: &impl Adapter) -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            let mut hello = adapter.hello().to_json();
            if adapter.acknowledges() {
                hello["acknowledges"] = true.into();
            }
            exchange(&hello, |message, replies| reply(adapter, message, replies))
        }
        ["read", format, path] => {
            let mut replies = take_stdout()?;
            let request = json!({"cmd": "read", "format": format, "path": path});
            let said = match done(adapter, &Request::of(&request)?) {
                Ok(Done::Read(answer)) => answer.to_string(),
                Ok(Done::Written) => unreachable!("a read writes nothing"),
                Err(why) => json!({"skipped": skipped(why)?}).to_string(), // not a failure
            };
            send(&mut replies, said)
        }
        _ => Err("usage: adapter [read FORMAT PATH]".into()),
    }
}

/// Serves JSON lines until `bye` or the end of stdin. `reply` returns one line for each message
/// except `hello` and `bye`. Use this in a program that handles requests that an [`Adapter`] does
/// not.
pub fn serve(hello: &Value, mut reply: impl FnMut(&Value) -> Outcome<String>) -> Outcome<()> {
    exchange(hello, |message, _| reply(message))
}

/// Runs the loop of [`serve`], in which `reply` may send other messages before it returns. Stdin is
/// not locked meanwhile, so that `reply` can wait for the answers to these messages.
fn exchange(
    hello: &Value,
    mut reply: impl FnMut(&Value, &File) -> Outcome<String>,
) -> Outcome<()> {
    let mut replies = take_stdout()?;
    let mut line = String::new();
    while io::stdin().read_line(&mut line)? > 0 {
        let message: Value = serde_json::from_str(&line)?;
        let said = match message["cmd"].as_str() {
            Some("bye") => break,
            Some("hello") => hello.to_string(),
            _ => reply(&message, &replies)?,
        };
        send(&mut replies, said)?;
        line.clear();
    }
    Ok(())
}

/// The result of a request.
enum Done {
    Read(Answer),
    Written,
}

/// Performs a request, or returns a [`Skip`] if the adapter does not support it.
fn done(adapter: &impl Adapter, request: &Request) -> Outcome<Done> {
    let (hello, profile) = (adapter.hello(), request.profile.as_str());
    let offered = hello.formats.contains(&request.format.as_str());
    if !offered || !hello.profiles.contains(&profile) {
        let (name, format) = (hello.name, &request.format);
        return Err(Skip::because(format!(
            "{name} has no {profile} for {format}"
        )));
    }
    if profile != "write" && !request.path.exists() {
        return Err(Skip::because("nothing is at this path"));
    }
    match profile {
        "write" => adapter.write(request).map(|()| Done::Written),
        "append" => adapter.append(request).map(|()| Done::Written),
        _ => adapter.read(request).map(Done::Read),
    }
}

/// Returns the reply to a read, write or append. An error means that the adapter or its environment
/// is at fault, never that a log is damaged.
fn reply(adapter: &impl Adapter, message: &Value, replies: &File) -> Outcome<String> {
    let (seq, mut request) = (&message["seq"], Request::of(message)?);
    if adapter.acknowledges() && message["acknowledge"] == true {
        request.acknowledge = Some(Acknowledge::new(seq, replies)?);
    }
    let said = match done(adapter, &request) {
        Ok(Done::Read(answer)) => return Ok(format!(r#"{{"seq":{seq},"answer":{answer}}}"#)),
        Ok(Done::Written) => json!({"seq": seq, "done": true}),
        Err(why) if why.is::<Skip>() || message["cmd"] == "read" => {
            json!({"seq": seq, "skipped": skipped(why)?})
        }
        Err(refusal) => json!({"seq": seq, "refused": refusal.to_string()}),
    };
    Ok(said.to_string())
}

/// Returns the reason in a [`Skip`]. Any other error is returned as an error.
fn skipped(why: Box<dyn std::error::Error>) -> Outcome<String> {
    why.downcast::<Skip>().map(|skip| skip.to_string())
}

/// Returns the real stdout, reserved for replies. The implementation's output goes to stderr.
fn take_stdout() -> io::Result<File> {
    let replies = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: dup2 takes two descriptor numbers, and this process was started with both
    // descriptors.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(replies))
}

fn send(replies: &mut File, mut line: String) -> Outcome<()> {
    line.push('\n');
    Ok(replies.write_all(line.as_bytes())?)
}
