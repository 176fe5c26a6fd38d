//! The words that every entry of a list owes.

use hopline::entry::Listed;

/// Says what it is, has an example of itself, and explains its keys; no name stands twice.
pub fn check_words<T: Listed>(list: &[T], what: &str) {
    let mut names: Vec<&str> = list.iter().map(|i| i.entry().name).collect();
    for item in list {
        let e = item.entry();
        assert!(!e.summary.is_empty() && !e.doc.is_empty(), "{what} {}: say what it is", e.name);
        assert_eq!(
            e.example.split([':', '=']).next(),
            Some(e.name),
            "{what} {}: the example is of something else",
            e.name
        );
        assert!(
            e.params.iter().all(|p| !p.summary.is_empty() && !p.value.is_empty()),
            "{what} {}: explain its keys",
            e.name
        );
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(e.name.chars().all(kebab), "{what} {}: names are hyphenated", e.name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), list.len(), "{what}: a name stands twice");
}
