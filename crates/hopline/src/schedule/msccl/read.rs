//! The XML of a program.

use super::{Block, Buffer, Gpu, Program, Span, Step, StepKind};
use crate::error::{Error, Place, Result, suggest};
use crate::format::check_elements;
use roxmltree::{Document, Node};
use std::str::FromStr;

/// Reads a program; O(text). What it means is not looked at: see [`super::check`]. `path` is for errors.
///
/// # Errors
/// The text is no XML, its root is not `algo`, or an attribute is missing or none of its kind; with the line.
pub fn read(path: &str, text: &str) -> Result<Program> {
    check_elements(path, text)?;
    let document = Document::parse(text).map_err(|e| unreadable(path, text, &e))?;
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let reader = At { path, starts };
    let root = document.root_element();
    if root.tag_name().name() != "algo" {
        let text = format!("`<{}>`, expected `<algo>`: an MSCCL program", root.tag_name().name());
        return Err(reader.error(root, text));
    }
    let gpus = children(root, "gpu").map(|gpu| reader.gpu(gpu)).collect::<Result<Vec<_>>>()?;
    let ranks: i64 = reader.need(root, "ngpus")?;
    if usize::try_from(ranks) != Ok(gpus.len()) {
        return Err(reader.error(root, format!("`ngpus` is {ranks}, and there are {} `<gpu>`", gpus.len())));
    }
    let in_place = reader.flag(root, "inplace")?.unwrap_or(false);
    Ok(Program {
        name: root.attribute("name").unwrap_or("").to_string(),
        protocol: root.attribute("proto").unwrap_or("Simple").to_string(),
        coll: reader.need(root, "coll")?,
        chunks: reader.need(root, "nchunksperloop")?,
        channels: reader.need(root, "nchannels")?,
        in_place,
        // The first MSCCL knew only one of both.
        out_of_place: reader.flag(root, "outofplace")?.unwrap_or(!in_place),
        bytes: (reader.maybe(root, "minBytes")?.unwrap_or(0), reader.maybe(root, "maxBytes")?.unwrap_or(0)),
        gpus,
        absent: WITH_DEFAULTS.into_iter().filter(|name| root.attribute(*name).is_none()).collect(),
        line: reader.line(root),
    })
}

/// Attributes of the whole that older MSCCL did not write.
const WITH_DEFAULTS: [&str; 5] = ["proto", "inplace", "outofplace", "minBytes", "maxBytes"];

fn unreadable(path: &str, text: &str, e: &roxmltree::Error) -> Error {
    let error = Error::input(format!("{e}, expected MSCCL XML"));
    match e {
        // These have no position of their own.
        roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream => {
            let last = text.lines().count().max(1) as u32;
            error.at(&Place::new(path, last)).hint("the file is cut short")
        }
        _ => error.at(&Place::new(path, e.pos().row)),
    }
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

/// Reads attributes and knows where they stand.
struct At<'a> {
    path: &'a str,
    /// Where lines begin; roxmltree counts them anew for each question.
    starts: Vec<usize>,
}

impl<'a> At<'a> {
    fn line(&self, node: Node<'_, '_>) -> u32 {
        self.starts.partition_point(|&start| start <= node.range().start) as u32
    }

    fn error(&self, node: Node<'_, '_>, text: String) -> Error {
        Error::input(text).at(&Place::new(self.path, self.line(node)))
    }

    fn need<T: FromStr>(&self, node: Node<'_, '_>, name: &str) -> Result<T> {
        let tag = node.tag_name().name();
        self.maybe(node, name)?.ok_or_else(|| self.error(node, format!("`<{tag}>` has no `{name}`")))
    }

    fn maybe<T: FromStr>(&self, node: Node<'_, '_>, name: &str) -> Result<Option<T>> {
        let tag = node.tag_name().name();
        let number = |word: &str| {
            let expected = || format!("`{name}` of `<{tag}>` is `{word}`, expected a number");
            word.parse().map_err(|_| self.error(node, expected()))
        };
        node.attribute(name).map(number).transpose()
    }

    fn flag(&self, node: Node<'_, '_>, name: &str) -> Result<Option<bool>> {
        match node.attribute(name) {
            None => Ok(None),
            Some("0") => Ok(Some(false)),
            Some("1") => Ok(Some(true)),
            Some(word) => Err(self.error(node, format!("`{name}` is `{word}`, expected 0 or 1"))),
        }
    }

    fn gpu(&self, node: Node<'a, 'a>) -> Result<Gpu> {
        Ok(Gpu {
            id: self.need(node, "id")?,
            sizes: [self.need(node, "i_chunks")?, self.need(node, "o_chunks")?, self.need(node, "s_chunks")?],
            blocks: children(node, "tb").map(|block| self.block(block)).collect::<Result<_>>()?,
            line: self.line(node),
        })
    }

    fn block(&self, node: Node<'a, 'a>) -> Result<Block> {
        Ok(Block {
            id: self.need(node, "id")?,
            send: self.need(node, "send")?,
            recv: self.need(node, "recv")?,
            channel: self.need(node, "chan")?,
            steps: children(node, "step").map(|step| self.step(step)).collect::<Result<_>>()?,
            line: self.line(node),
        })
    }

    fn step(&self, node: Node<'a, 'a>) -> Result<Step> {
        let kinds = StepKind::ALL.map(|kind| (kind.word(), kind));
        Ok(Step {
            id: self.need(node, "s")?,
            kind: self.word(node, "type", &kinds)?,
            source: self.span(node, "srcbuf", "srcoff")?,
            target: self.span(node, "dstbuf", "dstoff")?,
            count: self.need(node, "cnt")?,
            needs: (self.need(node, "depid")?, self.need(node, "deps")?),
            tells: self.flag(node, "hasdep")?.ok_or_else(|| self.error(node, "`<step>` has no `hasdep`".into()))?,
            line: self.line(node),
        })
    }

    fn span(&self, node: Node<'_, '_>, buffer: &str, first: &str) -> Result<Span> {
        let buffers = Buffer::ALL.map(|buffer| (buffer.word(), buffer));
        Ok(Span { buffer: self.word(node, buffer, &buffers)?, first: self.need(node, first)? })
    }

    /// One of some words.
    fn word<T: Copy>(&self, node: Node<'_, '_>, name: &str, known: &[(&str, T)]) -> Result<T> {
        let word: String = self.need(node, name)?;
        let found = known.iter().find(|(known, _)| *known == word).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let words = known.iter().map(|(word, _)| *word);
            self.error(node, format!("`{name}` is `{word}`")).hint(suggest(&word, words))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: &str =
        r#"<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>"#;

    fn one(step: &str) -> Result<Program> {
        read(
            "a.xml",
            &format!(
                "<!-- a -->\n<algo ngpus=\"1\" coll=\"allgather\" nchunksperloop=\"1\" nchannels=\"1\">\n\
                 <gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n\
                 <tb id=\"0\" send=\"-1\" recv=\"-1\" chan=\"0\">\n{step}\n</tb></gpu></algo>"
            ),
        )
    }

    #[test]
    fn what_may_be_missing_has_a_default() {
        let program = one(STEP).expect("a program");
        let step = program.gpus[0].blocks[0].steps[0];
        assert_eq!((step.kind, step.needs, step.tells, step.line), (StepKind::Send, (-1, -1), false, 5));
        assert_eq!((program.in_place, program.out_of_place, &*program.protocol), (false, true, "Simple"));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |step: &str| one(step).expect_err("wrong").to_string();
        assert!(error(&STEP.replace("\"s\"", "\"sned\"")).starts_with("a.xml:5: `type` is `sned`"));
        assert!(error(&STEP.replace(" srcoff=\"0\"", "")).contains("a.xml:5: `<step>` has no `srcoff`"));
        assert!(error(&STEP.replace(" hasdep=\"0\"", "")).contains("a.xml:5: `<step>` has no `hasdep`"));
        assert!(error(&STEP.replace("cnt=\"1\"", "cnt=\"x\"")).contains("`cnt` of `<step>` is `x`, expected a number"));
        assert!(error("<step").contains("expected MSCCL XML"));
        let cut = read("a.xml", "<algo>\n<gpu id=\"0\">\n").expect_err("cut short").to_string();
        assert!(cut.starts_with("a.xml:2: ") && cut.ends_with("the file is cut short"), "{cut}");
        assert!(read("a", "<graph/>").expect_err("another root").to_string().contains("expected `<algo>`"));
        let few = read("a", r#"<algo ngpus="2" coll="x" nchunksperloop="1" nchannels="1"/>"#).expect_err("no GPUs");
        assert!(few.to_string().contains("`ngpus` is 2, and there are 0"), "{few}");
    }
}
