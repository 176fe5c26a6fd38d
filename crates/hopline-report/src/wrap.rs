//! Lines broken where their words allow.

/// Blanks before the rest of a line that would hang too far.
const INDENT: usize = 2;

/// A line in pieces of at most `width` characters, broken at blanks, `hang` blanks before all but the first.
pub(super) fn broken(line: &str, width: usize, hang: usize) -> String {
    let hang = if 2 * hang > width { INDENT } else { hang };
    let mut text = String::new();
    let mut rest = line;
    let mut room = width;
    // The byte behind the last character that fits.
    while let Some((end, _)) = rest.char_indices().nth(room) {
        let inside = &rest[..end];
        // Blanks at the start are no place to break, and a word that fits nowhere stays whole.
        let start = rest.len() - rest.trim_start().len();
        let place = if rest[end..].starts_with(' ') { Some(end) } else { inside.rfind(' ').filter(|at| *at > start) };
        let Some(at) = place.or_else(|| rest[end..].find(' ').map(|more| end + more)) else { break };
        text.push_str(rest[..at].trim_end());
        text.push('\n');
        text.push_str(&" ".repeat(hang));
        rest = rest[at..].trim_start();
        room = width.saturating_sub(hang).max(1);
    }
    text + rest
}

/// A paragraph broken into lines of at most `width` characters, where its words allow.
pub(super) fn wrap(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn lines_break_at_blanks_and_hang() {
        assert_eq!(broken("hosts      64 with 1 slot", 80, 11), "hosts      64 with 1 slot");
        assert_eq!(broken("hosts      64 with 1 slot each", 22, 11), "hosts      64 with 1\n           slot each");
        assert_eq!(broken("a/very/long/path and more", 8, 2), "a/very/long/path\n  and\n  more");
        assert_eq!(broken("12345678", 4, 2), "12345678");
        assert_eq!(broken("1234 5678", 4, 0), "1234\n5678");
    }
}
