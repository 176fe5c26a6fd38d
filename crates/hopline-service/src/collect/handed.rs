//! The subnet as its manager hands it over: the file that the plugin `examples/service/hopline_opensm.c` replaces after
//! each sweep. It is whole and of one moment, so nothing is asked twice.

use hopline::error::{Error, Result};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Cabling and tables.
pub(super) fn read(path: &Path) -> Result<(String, String)> {
    let place = path.display();
    let text = fs::read_to_string(path).map_err(|e| {
        Error::failed(format!("{place}: {e}")).hint(
            "OpenSM writes it with event_plugin_options hopline_subnet=FILE: see examples/service/hopline_opensm.c",
        )
    })?;
    let parts = text.split_once("\n# tables\n").and_then(|(c, rest)| Some((c, rest.strip_suffix("# end\n")?)));
    let (cables, tables) = parts.ok_or_else(|| {
        Error::failed(format!("{place}: expected the cabling, a line `# tables`, the tables, and a last line `# end`"))
            .hint("this is not a file of the plugin hopline_opensm, or it was cut")
    })?;
    Ok((format!("{cables}\n"), tables.to_string()))
}

/// The subnet manager that wrote the file, as its first line says.
pub(super) fn manager(cables: &str) -> Option<&str> {
    cables.lines().next()?.split_once("hopline_opensm of ")?.1.split_once(" on ").map(|(version, _)| version)
}

/// What is another one for each file that is put in this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// That of the file which is there; `None` where there is none.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    Some(Stamp { inode: meta.ino(), seconds: meta.mtime(), nanoseconds: meta.mtime_nsec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let path = std::env::temp_dir().join(format!("hopline-handed-{}", std::process::id()));
        let whole = "# Topology file: by the plugin hopline_opensm of OpenSM 3.3.23 on today\n\nvendid=0x1\n\n# tables\nUnicast\n# end\n";
        fs::write(&path, whole).expect("file");
        let (cables, tables) = read(&path).unwrap_or_else(|e| panic!("{e}"));
        assert!(cables.ends_with("vendid=0x1\n\n") && tables == "Unicast\n", "{cables}{tables}");
        assert_eq!(manager(&cables), Some("OpenSM 3.3.23"));
        for length in [0, 40, whole.len() - 8, whole.len() - 1] {
            fs::write(&path, &whole[..length]).expect("file");
            assert!(read(&path).expect_err("cut").to_string().contains("# end"), "{length} bytes");
        }
        fs::remove_file(&path).expect("removed");
        assert!(read(&path).expect_err("gone").to_string().contains("hopline_subnet=FILE"));
        assert_eq!(stamp(&path), None);
    }
}
