//! Pictures as PNG. The few elements that this crate's SVG is made of are drawn here, with outlines of characters that are
//! part of the program: a picture is the same bytes everywhere, whatever programs and fonts a machine has.

mod coverage;
mod encode;
mod glyphs;
mod path;
mod stroke;
mod style;
mod tokens;

use coverage::Canvas;
pub(crate) use glyphs::width as text_width;
use path::{Lines, Transform};
use style::{Element, Paint, Rules};
use tokens::{Token, attribute, number, unescape};

const POINTS_PER_INCH: f64 = 72.0;
const CENTIMETRES_PER_INCH: f64 = 2.54;

/// An SVG document of this crate that has a width and height in centimetres, as PNG with so many dots per inch. Text is set
/// in DejaVu Sans. O(pixels + what is drawn).
pub(crate) fn png(svg: &str, dots_per_inch: f64) -> Vec<u8> {
    let per_centimetre = dots_per_inch / CENTIMETRES_PER_INCH;
    let mut drawing = Drawing::default();
    for token in tokens::tokens(svg) {
        drawing.next(token, per_centimetre);
    }
    encode::png(&drawing.canvas, per_centimetre * 100.0)
}

/// What is drawn so far.
#[derive(Default)]
struct Drawing<'a> {
    canvas: Canvas,
    rules: Rules<'a>,
    /// The elements around the next one, each with where its inside lies on the canvas.
    around: Vec<(Element<'a>, Transform)>,
    /// The text element that is open: its attributes.
    text: Option<&'a str>,
}

impl<'a> Drawing<'a> {
    fn next(&mut self, token: Token<'a>, per_centimetre: f64) {
        match token {
            Token::Open { name, attributes, closed } => {
                let outside = self.around.last().map_or(Transform::default(), |a| a.1);
                let element = Element::new(name, attribute(attributes, "class").unwrap_or(""));
                let inside = match name {
                    "svg" if self.around.is_empty() => self.begin(attributes, per_centimetre),
                    "svg" => outside.then(viewport(attributes)),
                    _ => outside,
                };
                self.shape(&element, attributes, outside);
                if !closed {
                    self.text = (name == "text").then_some(attributes);
                    self.around.push((element, inside));
                }
            }
            Token::Close => {
                self.around.pop();
                self.text = None;
            }
            Token::Text(text) => match self.around.last().map(|a| a.0.name) {
                Some("style") => self.rules.add(text),
                Some("text") => self.words(text),
                _ => {}
            },
        }
    }

    /// A white canvas of the size that the document asks for.
    fn begin(&mut self, attributes: &str, per_centimetre: f64) -> Transform {
        let size = |name: &str| {
            let length = attribute(attributes, name).and_then(|w| w.trim_end_matches("cm").parse::<f64>().ok());
            (length.unwrap_or(1.0) * per_centimetre).round().max(1.0)
        };
        let (width, height) = (size("width"), size("height"));
        self.canvas = Canvas::new(width as usize, height as usize);
        let [x, y, wide, _] = view_box(attributes).unwrap_or([0.0, 0.0, width, height]);
        Transform::scaled(width / wide).then(Transform::moved(-x, -y))
    }

    fn shape(&mut self, element: &Element<'a>, attributes: &str, outside: Transform) {
        let n = |name: &str| number(attributes, name).unwrap_or(0.0);
        let lines = match element.name {
            "path" => path::lines(attribute(attributes, "d").unwrap_or("")),
            "circle" => path::circle((n("cx"), n("cy")), n("r")),
            // The ground of a picture is as wide as all of it.
            "rect" if attributes.contains('%') => return,
            "rect" => path::rectangle((n("x"), n("y")), (n("width"), n("height"))),
            _ => return,
        };
        let paint = self.rules.paint(&self.around, element);
        self.draw(&lines, outside, &paint);
    }

    fn draw(&mut self, lines: &Lines, to: Transform, paint: &Paint<'_>) {
        let placed: Lines = lines.iter().map(|line| line.iter().map(|&p| to.of(p)).collect()).collect();
        if let Some(colour) = paint.fill {
            self.canvas.fill(&placed, colour, paint.opacity);
        }
        if let Some(colour) = paint.stroke {
            let dashes: Vec<f64> = paint.dashes.iter().map(|d| d * to.size()).collect();
            let outline = stroke::outline(&placed, paint.width * to.size(), &dashes);
            self.canvas.fill(&outline, colour, paint.opacity);
        }
    }

    fn words(&mut self, text: &str) {
        let (Some(attributes), Some((element, outside))) = (self.text, self.around.last()) else { return };
        let (outside, above) = (*outside, &self.around[..self.around.len() - 1]);
        let paint = self.rules.paint(above, element);
        let (size, text) = (paint.font_size, unescape(text));
        let place = (number(attributes, "x").unwrap_or(0.0), number(attributes, "y").unwrap_or(0.0));
        let turned = attribute(attributes, "transform").and_then(Transform::turned).unwrap_or_default();
        let long = glyphs::width(&text) * size;
        let back = match attribute(attributes, "text-anchor").or(paint.anchor) {
            Some("middle") => long / 2.0,
            Some("end") => long,
            _ => 0.0,
        };
        let to = outside.then(turned).then(Transform::moved(place.0 - back, place.1)).then(Transform::scaled(size));
        let outline = glyphs::outline(&text, paint.bold);
        // A line around characters lies below all of them.
        self.draw(&outline, to, &Paint { fill: None, width: paint.width / size, ..paint.clone() });
        self.draw(&outline, to, &Paint { stroke: None, ..paint });
    }
}

fn view_box(attributes: &str) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = attribute(attributes, "viewBox")?.split(' ').filter_map(|n| n.parse().ok()).collect();
    numbers.try_into().ok()
}

/// Where a picture inside of another lies.
fn viewport(attributes: &str) -> Transform {
    let n = |name: &str| number(attributes, name).unwrap_or(0.0);
    let [x, y, wide, _] = view_box(attributes).unwrap_or([0.0, 0.0, 1.0, 1.0]);
    let scale = if wide > 0.0 { n("width") / wide } else { 1.0 };
    Transform::moved(n("x"), n("y")).then(Transform::scaled(scale)).then(Transform::moved(-x, -y))
}

/// Points, as type is measured, in a centimetre.
pub(crate) const POINTS_PER_CENTIMETRE: f64 = POINTS_PER_INCH / CENTIMETRES_PER_INCH;

#[cfg(test)]
mod tests {
    use super::*;

    /// The colour of a pixel of a picture of 20 x 10 units in as many pixels.
    fn pixel(inside: &str, x: usize, y: usize) -> [u8; 3] {
        let svg = format!(
            "<svg viewBox=\"0 0 20 10\" width=\"20cm\" height=\"10cm\"><style>.a{{fill:#f00}}.b{{fill:none;stroke:#00f;\
             stroke-width:2}}.n .b{{stroke:#0f0}}text{{font-size:10px}}</style>{inside}</svg>"
        );
        let mut drawing = Drawing::default();
        tokens::tokens(&svg).for_each(|t| drawing.next(t, 1.0));
        assert_eq!((drawing.canvas.width, drawing.canvas.height), (20, 10));
        drawing.canvas.pixel(x, y)
    }

    #[test]
    fn shapes_are_where_they_are_written() {
        let square = "<path class=\"a\" d=\"M2 2h4v4h-4z\"/>";
        assert_eq!(pixel(square, 3, 3), [255, 0, 0]);
        assert_eq!(pixel(square, 7, 3), [255, 255, 255]);
        assert_eq!(pixel("<path class=\"a\" d=\"M2.5 2h4v4h-4z\"/>", 2, 3), [255, 128, 128], "half a pixel");
        let line = "<path class=\"b\" d=\"M0 5L20 5\"/>";
        assert_eq!((pixel(line, 9, 4), pixel(line, 9, 7)), ([0, 0, 255], [255, 255, 255]));
        let inner = "<svg class=\"n\" x=\"10\" y=\"0\" width=\"10\" viewBox=\"0 0 100 100\"><path class=\"b\" \
                     style=\"\" d=\"M0 50h100\"/><path class=\"a\" d=\"M10 10h30v30h-30z\"/></svg>";
        assert_eq!((pixel(inner, 12, 2), pixel(inner, 2, 2)), ([255, 0, 0], [255, 255, 255]));
        assert!(pixel(inner, 15, 5)[1] > pixel(inner, 15, 5)[2], "the rule of the picture inside");
        let disc = "<circle class=\"a\" cx=\"5\" cy=\"5\" r=\"4\"/>";
        assert_eq!((pixel(disc, 5, 5), pixel(disc, 1, 1)), ([255, 0, 0], [255, 255, 255]));
    }

    #[test]
    fn text_has_holes_and_an_end() {
        let ink = |word: &str, anchor: &str| -> Vec<usize> {
            let text = format!("<text class=\"a\" x=\"10\" y=\"9\" text-anchor=\"{anchor}\">{word}</text>");
            (0..20).filter(|&x| (0..10).any(|y| pixel(&text, x, y)[1] < 128)).collect()
        };
        assert!(ink("I", "start").iter().all(|&x| x >= 10) && !ink("I", "start").is_empty());
        assert!(ink("I", "end").iter().all(|&x| x < 10) && !ink("I", "end").is_empty());
        let zero = "<text class=\"a\" x=\"0\" y=\"9\">O</text>";
        assert_eq!(pixel(zero, 3, 5), [255, 255, 255], "the hole of an O");
        assert_eq!(pixel("<text class=\"a\" x=\"0\" y=\"9\">&lt;</text>", 19, 0), [255, 255, 255]);
    }

    #[test]
    fn what_is_outside_of_the_canvas_is_cut_off() {
        assert_eq!(pixel("<path class=\"a\" d=\"M-50 -50h100v100h-100z\"/>", 19, 9), [255, 0, 0]);
        assert_eq!(pixel("<path class=\"a\" d=\"M30 30h4v4h-4z\"/>", 19, 9), [255, 255, 255]);
        assert_eq!(pixel("<path class=\"a\" d=\"Mnonsense\"/><text>\u{4e00}</text>", 19, 9), [255, 255, 255]);
    }
}
