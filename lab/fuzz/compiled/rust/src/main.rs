//! Parses the inputs of libFuzzer with the grammar that WALPROOF_GRAMMAR names. A panic of a parser
//! ends the process.
#![no_main]

mod listing;
mod walker;

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static GRAMMAR: OnceLock<String> = OnceLock::new();

fuzz_target!(
    init: {
        // The walker catches the panic of an instance that cannot be computed, which is a line of
        // the listing and not a fault.
        std::panic::set_hook(Box::new(|_| ()));
        GRAMMAR.set(std::env::var("WALPROOF_GRAMMAR").expect("the name of a grammar")).expect("once");
    },
    |data: &[u8]| {
        walker::listing(GRAMMAR.get().expect("set"), data.to_vec()).expect("a grammar of the package");
    }
);
