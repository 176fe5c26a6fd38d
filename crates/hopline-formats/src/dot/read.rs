//! Reading DOT, whoever wrote it: the whole language of
//! <https://graphviz.org/doc/info/lang.html>, subgraphs and defaults included.

use super::tokens::{Token, Tokens};
use crate::graph::{Data, Edge, Graph, Node};
use hopline::error::Result;
use rustc_hash::FxHashMap;

/// The most edges: two groups of nodes make the product of their sizes.
const MOST_EDGES: usize = 1 << 26;
/// The most groups in groups: a mistyped file must not take all of the stack.
const DEEPEST: u32 = 64;

/// True where a text is DOT, whatever it then holds.
pub(crate) fn begins(text: &str) -> bool {
    let mut tokens = Tokens::new("", text);
    let mut word = || match tokens.next() {
        Ok(Some(Token::Id { text, plain: true })) => text.to_ascii_lowercase(),
        Ok(Some(Token::Sign(c))) => c.to_string(),
        Ok(Some(_)) => "name".to_string(),
        _ => String::new(),
    };
    let mut first = word();
    if first == "strict" {
        first = word();
    }
    if first != "graph" && first != "digraph" {
        return false;
    }
    let name = word();
    name == "{" || word() == "{"
}

/// Reads a graph. O(text + edges).
///
/// # Errors
/// It is no DOT, with the line.
pub(crate) fn read(path: &str, text: &str) -> Result<Graph> {
    let mut tokens = Tokens::new(path, text);
    let first = tokens.next()?;
    let mut reader = Reader { tokens, peeked: first, graph: Graph::default(), index: FxHashMap::default() };
    if reader.is_word("strict") {
        reader.take()?;
    }
    reader.graph.directed = reader.is_word("digraph");
    if !reader.graph.directed && !reader.is_word("graph") {
        return Err(reader.expected("graph or digraph"));
    }
    reader.take()?;
    if let Some(Token::Id { text, .. }) = &reader.peeked {
        reader.graph.name = Some(text.clone());
        reader.take()?;
    }
    reader.sign('{')?;
    reader.statements(&Defaults::default(), 0)?;
    reader.sign('}')?;
    Ok(reader.graph)
}

/// Attributes that new nodes and edges have.
#[derive(Debug, Clone, Default)]
struct Defaults {
    node: Data,
    edge: Data,
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    peeked: Option<Token>,
    graph: Graph,
    index: FxHashMap<String, u32>,
}

impl Reader<'_> {
    fn take(&mut self) -> Result<Option<Token>> {
        let next = self.tokens.next()?;
        Ok(std::mem::replace(&mut self.peeked, next))
    }

    fn is_sign(&self, sign: char) -> bool {
        self.peeked == Some(Token::Sign(sign))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.peeked, Some(Token::Id { text, plain: true }) if text.eq_ignore_ascii_case(word))
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if !self.is_sign(sign) {
            return Err(self.expected(&format!("`{sign}`")));
        }
        self.take().map(drop)
    }

    fn expected(&self, what: &str) -> hopline::error::Error {
        let found = match &self.peeked {
            None => "the end of the file".to_string(),
            Some(Token::Id { text, .. }) => hopline::format::quote(text),
            Some(Token::Sign(c)) => format!("`{c}`"),
            Some(Token::Line) => "`--`".to_string(),
            Some(Token::Arrow) => "`->`".to_string(),
        };
        self.tokens.error(format!("found {found}, expected {what}"))
    }

    fn id(&mut self) -> Result<String> {
        match self.take()? {
            Some(Token::Id { text, .. }) => Ok(text),
            other => {
                self.peeked = other;
                Err(self.expected("a name"))
            }
        }
    }

    /// Statements up to a `}`; the nodes that they name.
    fn statements(&mut self, outer: &Defaults, depth: u32) -> Result<Vec<u32>> {
        if depth > DEEPEST {
            return Err(self.tokens.error(format!("subgraphs in more than {DEEPEST} others")));
        }
        let mut defaults = outer.clone();
        let mut named = Vec::new();
        while self.peeked.is_some() && !self.is_sign('}') {
            if self.is_sign(';') || self.is_sign(',') {
                self.take()?;
            } else if self.is_word("node") || self.is_word("edge") || self.is_word("graph") {
                let kind = self.id()?.to_ascii_lowercase();
                let data = self.attributes()?;
                match kind.as_str() {
                    "node" => replace(&mut defaults.node, data),
                    "edge" => replace(&mut defaults.edge, data),
                    _ if depth == 0 => replace(&mut self.graph.data, data),
                    _ => {}
                }
            } else {
                named.extend(self.statement(&defaults, depth)?);
            }
        }
        named.sort_unstable();
        named.dedup();
        Ok(named)
    }

    /// `name = value`, a node with attributes, or edges between nodes and groups.
    fn statement(&mut self, defaults: &Defaults, depth: u32) -> Result<Vec<u32>> {
        let line = self.tokens.line();
        let first = self.operand(defaults, depth)?;
        let Operand { mut nodes, id } = first;
        if let (Some(name), true) = (&id, self.is_sign('=')) {
            self.take()?;
            let value = self.id()?;
            if depth == 0 {
                replace(&mut self.graph.data, vec![(name.clone(), value)]);
            }
            return Ok(Vec::new());
        }
        if let (Some(name), true) = (&id, nodes.is_empty()) {
            nodes = vec![self.node(name, defaults, line)];
        }
        let (mut all, mut last, mut pairs) = (nodes.clone(), nodes, Vec::new());
        while let Some(Token::Line | Token::Arrow) = self.peeked {
            self.take()?;
            let Operand { nodes: mut next, id } = self.operand(defaults, depth)?;
            if let Some(name) = &id {
                next = vec![self.node(name, defaults, line)];
            }
            if pairs.len() + last.len().saturating_mul(next.len()) + self.graph.edges.len() > MOST_EDGES {
                return Err(self.tokens.error(format!("more than {MOST_EDGES} edges")));
            }
            pairs.extend(last.iter().flat_map(|&a| next.iter().map(move |&b| [a, b])));
            all.extend_from_slice(&next);
            last = next;
        }
        let data = self.attributes()?;
        if !pairs.is_empty() {
            let mut own = defaults.edge.clone();
            replace(&mut own, data);
            self.graph.edges.extend(pairs.into_iter().map(|ends| Edge { ends, data: own.clone(), line }));
        } else if let (Some(_), Some(node)) = (id, all.first().and_then(|&at| self.graph.nodes.get_mut(at as usize))) {
            replace(&mut node.data, data);
        }
        Ok(all)
    }

    /// A node's name (with a port, which draws only), or a group.
    fn operand(&mut self, defaults: &Defaults, depth: u32) -> Result<Operand> {
        if self.is_word("subgraph") {
            self.take()?;
            if matches!(self.peeked, Some(Token::Id { .. })) {
                self.take()?;
            }
        }
        if self.is_sign('{') {
            self.take()?;
            let nodes = self.statements(defaults, depth + 1)?;
            self.sign('}')?;
            return Ok(Operand { nodes, id: None });
        }
        let id = self.id()?;
        while self.is_sign(':') {
            self.take()?;
            self.id()?;
        }
        Ok(Operand { nodes: Vec::new(), id: Some(id) })
    }

    fn node(&mut self, id: &str, defaults: &Defaults, line: u32) -> u32 {
        if let Some(&at) = self.index.get(id) {
            return at;
        }
        let at = self.graph.nodes.len() as u32;
        self.index.insert(id.to_string(), at);
        self.graph.nodes.push(Node { id: id.to_string(), data: defaults.node.clone(), line });
        at
    }

    /// Any number of lists `[name=value, ...]`.
    fn attributes(&mut self) -> Result<Data> {
        let mut data = Data::new();
        while self.is_sign('[') {
            self.take()?;
            while !self.is_sign(']') {
                let name = self.id()?;
                let value = if self.is_sign('=') {
                    self.take()?;
                    self.id()?
                } else {
                    "true".to_string()
                };
                replace(&mut data, vec![(name, value)]);
                if self.is_sign(',') || self.is_sign(';') {
                    self.take()?;
                }
            }
            self.take()?;
        }
        Ok(data)
    }
}

/// What stands at one end of an edge.
struct Operand {
    nodes: Vec<u32>,
    id: Option<String>,
}

/// Puts attributes in, over those that are there.
fn replace(data: &mut Data, new: Data) {
    for (name, value) in new {
        match data.iter_mut().find(|(own, _)| *own == name) {
            Some((_, old)) => *old = value,
            None => data.push((name, value)),
        }
    }
}
