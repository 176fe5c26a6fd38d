//! How fast pages are painted: medians of first paints of pages of 64, 1,000 and 10,648 hosts beside those of a page of one
//! word, of when their fabrics are there, and of heat maps, in Debian's Chromium driven by Playwright (see `tests/browser.rs` for what it needs).
//! `cargo bench -p hopline-cli --bench paint`.

#![allow(clippy::print_stdout, reason = "a bench says what it has measured")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is drawn, and the job.
const PAGES: [(&str, &str); 3] = [
    ("64 hosts", "--fabric testdata/fabrics/rack64 --traffic matrix:file=testdata/matrices/lammps-melt-64.csv"),
    ("1,000 hosts", "--topology fat-tree:k=10,n=3,host=1 --traffic halo:grid=25x40"),
    ("10,648 hosts", "--topology fat-tree:k=22,n=3,host=1 --traffic halo:grid=88x121"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = std::env::var_os("HOPLINE_PLAYWRIGHT").map(PathBuf::from);
    let python = python.unwrap_or_else(|| root.join("target/playwright/bin/python"));
    let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].into_iter().find(|p| Path::new(p).exists());
    let (true, Some(chromium)) = (python.exists(), chromium) else {
        println!("there is no Chromium, or no Playwright in target/playwright ($HOPLINE_PLAYWRIGHT)");
        return Ok(());
    };
    let dir = std::env::temp_dir().join(format!("hopline-paint-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let measure = |name: &str, page: &Path| -> Result<(), Box<dyn Error>> {
        let script = root.join("crates/hopline-cli/tests/browser/visit.py");
        let ran = Command::new(&python).arg(script).arg(chromium).arg(page).arg("times").output()?;
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).into());
        }
        print!("{name}, {} kB\n{}", std::fs::metadata(page)?.len() / 1000, String::from_utf8_lossy(&ran.stdout));
        Ok(())
    };
    for (name, job) in PAGES {
        let page = dir.join("page.html");
        let words = format!("report {job} --mapping default,random -o");
        let ran = Command::new(env!("CARGO_BIN_EXE_hopline"))
            .args(words.split(' '))
            .arg(&page)
            .current_dir(&root)
            .output()?;
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).into());
        }
        measure(name, &page)?;
    }
    std::fs::remove_dir_all(dir)?;
    Ok(())
}
