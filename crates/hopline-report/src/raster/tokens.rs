//! The tags and texts of an SVG document that this crate wrote: `>` never stands in an attribute.

/// A piece of a document.
pub(super) enum Token<'a> {
    Open {
        name: &'a str,
        attributes: &'a str,
        /// True where nothing is inside.
        closed: bool,
    },
    Close,
    Text(&'a str),
}

pub(super) fn tokens(mut rest: &str) -> impl Iterator<Item = Token<'_>> {
    std::iter::from_fn(move || {
        let Some(after) = rest.strip_prefix('<') else {
            let (text, more) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            rest = more;
            return (!text.is_empty()).then_some(Token::Text(text));
        };
        let (tag, more) = after.split_once('>').unwrap_or((after, ""));
        rest = more;
        if tag.starts_with('/') {
            return Some(Token::Close);
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_at(tag.find([' ', '\n']).unwrap_or(tag.len()));
        Some(Token::Open { name, attributes, closed })
    })
}

/// The value of an attribute.
pub(super) fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let start = attributes.find(&format!(" {name}=\""))? + name.len() + 3;
    attributes[start..].split('"').next()
}

pub(super) fn number(attributes: &str, name: &str) -> Option<f64> {
    attribute(attributes, name)?.parse().ok()
}

/// What [`crate::escape()`] made harmless, as it was.
pub(super) fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}
