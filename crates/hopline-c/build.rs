//! The name by which programs find the shared library: its structures may
//! change with the second number of the version.

#![allow(clippy::print_stdout, reason = "how cargo is told")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        let number = |part: &str| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
        let name = format!("libhopline.so.{}.{}", number("MAJOR"), number("MINOR"));
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{name}");
    }
}
