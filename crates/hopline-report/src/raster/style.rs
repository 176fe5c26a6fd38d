//! Which colours and lines an element has, by the rules of a style sheet: tags and classes, alone or below others.

use super::path::Transform;

/// An element's name and classes.
#[derive(Debug, Clone)]
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    classes: Vec<&'a str>,
}

impl<'a> Element<'a> {
    pub(super) fn new(name: &'a str, classes: &'a str) -> Element<'a> {
        Element { name, classes: classes.split_whitespace().collect() }
    }

    /// Whether `text.title`, `.curve.c0` or `text` fit it.
    fn fits(&self, compound: &str) -> bool {
        let (name, classes) = compound.split_once('.').unwrap_or((compound, ""));
        (name.is_empty() || name == self.name)
            && classes.split('.').filter(|c| !c.is_empty()).all(|c| self.classes.contains(&c))
    }
}

/// How an element is drawn.
#[derive(Debug, Clone)]
pub(super) struct Paint<'a> {
    pub(super) fill: Option<[u8; 3]>,
    pub(super) stroke: Option<[u8; 3]>,
    pub(super) width: f64,
    /// Lengths of dashes and of what is between them; empty for a whole line.
    pub(super) dashes: Vec<f64>,
    pub(super) opacity: f64,
    pub(super) font_size: f64,
    pub(super) bold: bool,
    pub(super) anchor: Option<&'a str>,
}

/// The rules of a document, later ones and those that say more of an element after others.
#[derive(Debug, Default)]
pub(super) struct Rules<'a> {
    /// Selector and declarations.
    rules: Vec<(&'a str, &'a str)>,
}

impl<'a> Rules<'a> {
    pub(super) fn add(&mut self, sheet: &'a str) {
        for (selectors, declarations) in sheet.split('}').filter_map(|rule| rule.split_once('{')) {
            self.rules.extend(selectors.split(',').map(|s| (s.trim(), declarations)));
        }
        let weight = |selector: &str| 10 * selector.matches('.').count() + selector.split(' ').count();
        self.rules.sort_by_key(|rule| weight(rule.0));
    }

    /// How an element inside of others is drawn.
    pub(super) fn paint(&self, around: &[(Element<'a>, Transform)], element: &Element<'a>) -> Paint<'a> {
        let mut paint = Paint {
            fill: Some([0; 3]),
            stroke: None,
            width: 1.0,
            dashes: Vec::new(),
            opacity: 1.0,
            font_size: 16.0,
            bold: false,
            anchor: None,
        };
        for (_, declarations) in self.rules.iter().filter(|rule| fits(rule.0, around, element)) {
            declarations.split(';').filter_map(|d| d.split_once(':')).for_each(|(key, value)| paint.set(key, value));
        }
        paint
    }
}

/// Whether a selector fits an element inside of others.
fn fits(selector: &str, around: &[(Element<'_>, Transform)], element: &Element<'_>) -> bool {
    let mut compounds = selector.split(' ').rev();
    if !compounds.next().is_some_and(|own| element.fits(own)) {
        return false;
    }
    let mut outward = around.iter().rev();
    compounds.all(|compound| outward.any(|(above, _)| above.fits(compound)))
}

impl<'a> Paint<'a> {
    fn set(&mut self, key: &str, value: &'a str) {
        let length = || value.trim_end_matches("px").parse().ok();
        match key.trim() {
            "fill" => self.fill = colour(value),
            "stroke" => self.stroke = colour(value),
            "stroke-width" => self.width = length().unwrap_or(self.width),
            "stroke-dasharray" => self.dashes = value.split([' ', ',']).filter_map(|d| d.parse().ok()).collect(),
            "opacity" => self.opacity = length().unwrap_or(self.opacity),
            "font-size" => self.font_size = length().unwrap_or(self.font_size),
            "font-weight" => self.bold = length().is_some_and(|weight| weight >= 600.0),
            "text-anchor" => self.anchor = Some(value),
            _ => {}
        }
    }
}

/// `#rgb` or `#rrggbb`; none for all else.
fn colour(value: &str) -> Option<[u8; 3]> {
    let digits = value.trim().strip_prefix('#')?;
    let part = |at: usize, long: usize| u8::from_str_radix(digits.get(at * long..(at + 1) * long)?, 16).ok();
    match digits.len() {
        3 => Some([part(0, 1)? * 17, part(1, 1)? * 17, part(2, 1)? * 17]),
        6 => Some([part(0, 2)?, part(1, 2)?, part(2, 2)?]),
        _ => None,
    }
}
