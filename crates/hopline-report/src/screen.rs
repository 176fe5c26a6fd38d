//! Where text is shown.

/// How wide lines may be, and whether colours are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns of a line; `None` where lines may be of any length.
    pub width: Option<usize>,
    /// True where the ANSI sequences of colours mean something.
    pub colour: bool,
}

impl Screen {
    /// Nothing left out, nothing shortened, no colours: for files and pipes.
    pub const WIDE: Screen = Screen { width: None, colour: false };

    /// Columns of running text: nobody reads longer lines.
    pub(super) fn prose(self) -> usize {
        const READABLE: usize = 108;
        self.width.unwrap_or(READABLE).min(READABLE)
    }

    /// Text in the colour of a share of the worst: red from 90 %, yellow from half, green below.
    pub(super) fn heat(self, text: &str, share: f64) -> String {
        let colour = match share {
            _ if !self.colour || text.is_empty() => return text.to_string(),
            s if s >= 0.9 => 31,
            s if s >= 0.5 => 33,
            _ => 32,
        };
        format!("\x1b[{colour}m{text}\x1b[0m")
    }

    /// Text that stands out.
    pub(super) fn bold(self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// What text of this crate is made of beside ASCII, and what stands for it where a locale has no UTF-8: as wide, the
/// heights of columns as numbers.
const PLAIN: [(char, char); 10] = [
    ('▁', '1'),
    ('▂', '2'),
    ('▃', '3'),
    ('▄', '4'),
    ('▅', '5'),
    ('▆', '6'),
    ('▇', '7'),
    ('█', '8'),
    ('…', '~'),
    ('±', '~'),
];

/// Text for a screen whose locale has no UTF-8; names keep their own characters.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| PLAIN.iter().find(|p| p.0 == c).map_or(c, |p| p.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn columns_become_their_heights() {
        assert_eq!(plain("global  █...▂ g0…] 7.5±1 Zürich"), "global  8...2 g0~] 7.5~1 Zürich");
    }
}
