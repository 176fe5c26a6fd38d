//! C and C++ against the header and both libraries: the guide's example, and
//! `checks.c`. Skipped where there is no C compiler.

#[path = "../../hopline/tests/common/skip.rs"]
mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

// Cargo builds the C libraries beside the Rust one that this names.
use hopline_c as _;

const GUIDE: &str = include_str!("../../../docs/src/c-library.md");

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where a compiler finds the libraries under the names that they are installed by.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let desk = Desk(std::env::temp_dir().join(format!("hopline-c-{name}-{}", std::process::id())));
        fs::create_dir_all(&desk.0).expect("temporary directory");
        let test = std::env::current_exe().expect("this test");
        let built = test.parent().expect("target");
        let soname = format!("libhopline.so.{}.{}", env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
        for (from, to) in [("so", soname.as_str()), ("so", "libhopline.so"), ("a", "libhopline.a")] {
            let from = built.join(format!("libhopline_c.{from}"));
            std::os::unix::fs::symlink(from, desk.0.join(to)).expect("link");
        }
        desk
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.0.join(name), text).expect("write");
        self.0.join(name)
    }

    /// Compiles with warnings as errors.
    fn compile(&self, compiler: &str, source: &Path, more: &[&str]) {
        let mut command = Command::new(compiler);
        command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(here().join("include")).arg(source);
        done(command.args(more).current_dir(&self.0).output().expect(compiler));
    }

    /// Compiles against the shared and against the static library, and runs both.
    fn run_both(&self, source: &Path) -> [String; 2] {
        let system = ["-pthread", "-ldl", "-lm"];
        let shared = ["-std=c99", "-L.", "-lhopline", "-pthread", "-lm", "-o", "shared"];
        self.compile("cc", source, &shared);
        self.compile("cc", source, &[&["-std=c99", "libhopline.a"][..], &system, &["-o", "static"]].concat());
        ["shared", "static"].map(|program| {
            let mut command = Command::new(self.0.join(program));
            done(command.env("LD_LIBRARY_PATH", &self.0).output().expect(program))
        })
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a command that succeeds printed.
fn done(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn is_there(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok();
    if !found {
        skip::absent(format!("no {compiler}"));
    }
    found
}

/// The program in the guide.
fn example() -> &'static str {
    let from = GUIDE.find("```c\n").expect("a program") + 5;
    let length = GUIDE[from..].find("```").expect("its end");
    &GUIDE[from..from + length]
}

#[test]
fn the_guide_s_program_runs_with_both_libraries() {
    if !is_there("cc") {
        return;
    }
    let desk = Desk::new("guide");
    for text in desk.run_both(&desk.file("place.c", example())) {
        let lines: Vec<&str> = text.lines().collect();
        // 4 x 4 tasks on four hosts: quads are best, each with four neighbours outside; rows have eight.
        assert_eq!(lines[0], "busiest link: 0.32 us, was 0.64 us, at least 0.08 us", "{text}");
        assert!(lines[1].starts_with("h0 "), "rank 0 is pinned: {text}");
        assert_eq!(lines.len(), 5, "{text}");
    }
}

#[test]
fn what_the_header_promises_holds_with_both_libraries() {
    if !is_there("cc") {
        return;
    }
    let desk = Desk::new("checks");
    assert_eq!(desk.run_both(&here().join("tests/checks.c")), ["all checks passed\n"; 2]);
}

#[test]
fn the_header_is_c_plus_plus_too() {
    if !is_there("c++") {
        return;
    }
    let desk = Desk::new("c++");
    let text = "#include <hopline.h>\n\
                int main() {\n    hopline_options options = HOPLINE_OPTIONS_INIT;\n    \
                return options.threads == 1 && hopline_version() ? 0 : 1;\n}\n";
    desk.compile("c++", &desk.file("main.cc", text), &["-std=c++11", "-L.", "-lhopline", "-o", "main"]);
    done(Command::new(desk.0.join("main")).env("LD_LIBRARY_PATH", &desk.0).output().expect("main"));
}
