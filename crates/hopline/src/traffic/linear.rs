//! Linear-constant communications: the digits of the receiver are linear
//! combinations of those of the sender, plus a constant. Wang, Hou and Ku,
//! section 2.3.

use super::amount::sends;
use super::{Amount, BYTES, Context, MOST_TASKS, Traffic};
use crate::demand::Demand;
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result, suggest};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::format::digit_matrix;
use crate::gf::{Affine, Field, Matrix, digits};
use crate::params::{FromValue, Params, Reader, Value};

pub(super) const ENTRY: Entry = Entry {
    name: "linear",
    summary: "linear-constant communication y = Ax + b on digits: matrix transpose, digit reversal, gathers, any matrix",
    doc: "The task with base-k digits x = (x0, ..., x(n-1)), x0 fastest, sends its unit to the task with digits Ax + b, \
          computed in the field of k elements (k a power of a prime; sums are XOR where k is a power of 2). A is a \
          permutation of digits by name, a choice of digits (order=2-3-0-1 says y0 = x2, y1 = x3, ...; a digit may stand \
          twice), or n rows of n numbers in a file. Names: transpose exchanges the halves of the digits, digit-reverse \
          reverses them (bit reversal where k = 2), shuffle makes the last digit the first, unshuffle the first the last, \
          butterfly exchanges both, gather sets the first n-rank digits to 0: k^(n-rank) consecutive tasks send to \
          their first. Choices of digits without b need no \
          field: they work on a torus of any extents whose exchanged digits are equal.\n\
          scatter=true sends every message backwards: from Ax + b to x; where A is singular many tasks then send nothing.\n\
          Source: the k-ary n-cube mapping paper, section 2.3.",
    example: "linear:name=transpose,k=4,n=4",
    params: &[
        param(
            "name",
            "transpose|digit-reverse|shuffle|unshuffle|butterfly|gather",
            "none",
            "a permutation of digits, or gather",
        ),
        param("order", "digits", "none", "which digit of x becomes y0, y1, ..."),
        param("matrix", "path", "none", "a file of n rows of n numbers below k"),
        param("b", "digits", "zeros", "the constant: 1-0-2"),
        param("rank", "count", "n-1", "of gather: how many digits are kept"),
        param("scatter", "true|false", "false", "whether messages go from Ax + b to x"),
        param("k", "count", "that of the torus", "numbers per digit"),
        param("n", "count", "that of the torus", "digits"),
        param("polynomial", "count", "the least", "of the field, as digits to base p: 11 is x^3+x+1 for k = 8"),
        BYTES,
    ],
};

const NAMES: [&str; 6] = ["transpose", "digit-reverse", "shuffle", "unshuffle", "butterfly", "gather"];

/// Digits with `-` between them, or a TOML array of numbers.
struct Digits(Vec<u32>);

impl FromValue for Digits {
    const EXPECTED: &'static str = "digits such as 2-3-0-1";
    fn from_value(value: &Value) -> Option<Self> {
        let text = String::from_value(value)?;
        text.split(['-', ',', 'x', ' ']).map(|d| d.trim().parse().ok()).collect::<Option<_>>().map(Digits)
    }
}

/// Where A comes from.
#[derive(Debug, Clone)]
enum Source {
    Name(&'static str, Option<u32>),
    Order(Vec<u32>),
    File { path: String, text: String },
}

/// A linear-constant communication, before it is known on how many digits.
#[derive(Debug, Clone)]
pub struct Communication {
    source: Source,
    constant: Option<Vec<u32>>,
    /// The polynomial of its field that was asked for.
    pub polynomial: Option<u32>,
    /// k and n of its own digits, where they are given.
    own: (Option<u32>, Option<u32>),
    /// True where messages go from Ax + b to x.
    pub scatter: bool,
    place: Place,
}

/// A linear-constant communication of tasks: see the list.
#[derive(Debug, Clone)]
pub struct Linear {
    communication: Communication,
    extents: Vec<u32>,
    amount: Amount,
}

sends!(Linear by bytes);

impl Linear {
    /// Of `k^n` tasks, whose numbers have `n` digits to base `k`. Each sends one unit.
    ///
    /// # Errors
    /// The digits do not fit, or the communication needs a field of `k` elements and there is none.
    pub fn new(communication: Communication, k: u32, n: u32) -> Result<Linear> {
        let own = (Some(k), Some(checked_digits(n)?));
        let linear = Linear::on(Communication { own, ..communication }, vec![k; n as usize])?;
        linear.communication.table(&linear.extents)?;
        Ok(linear)
    }

    fn on(communication: Communication, extents: Vec<u32>) -> Result<Linear> {
        communication.check_polynomial(&extents)?;
        Ok(Linear { communication, extents, amount: Amount::default() })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Linear> {
        let amount = Amount::of_edges(reader)?;
        let communication = Communication::read(reader, context.files)?;
        let extents = communication.extents(context.fabric)?;
        Ok(Linear { amount, ..Linear::on(communication, extents)? })
    }

    pub(super) fn params(&self) -> Params {
        self.amount.write(self.communication.params(&self.extents))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let Linear { communication, extents, amount } = self;
        let table = communication.table(&extents)?;
        let send = |(x, &y): (usize, &u32)| if communication.scatter { (y, x as u32) } else { (x as u32, y) };
        let entries = table.iter().enumerate().map(send).map(|(from, to)| (from, to, amount.of(1.0))).collect();
        Ok(Demand::new(table.len() as u32, amount.unit(), entries, Vec::new())?.into())
    }
}

/// A number of digits that a communication can have.
fn checked_digits(n: u32) -> Result<u32> {
    match n {
        1..=24 => Ok(n),
        _ => Err(Error::argument("n", format!("`n` is {n}, expected 1 to 24"))),
    }
}

impl Communication {
    /// One of the named ones: transpose, digit-reverse, shuffle, unshuffle, butterfly, gather.
    ///
    /// # Errors
    /// None has that name; the hint suggests the nearest.
    pub fn named(name: &str) -> Result<Communication> {
        let known = NAMES.into_iter().find(|known| *known == name);
        let known = known.ok_or_else(|| {
            let text = format!("no communication is called `{name}`");
            Error::argument("name", text).hint(suggest(name, NAMES.into_iter()))
        })?;
        Ok(Communication::of(Source::Name(known, None)))
    }

    /// Digit i of the receiver is digit `order[i]` of the sender; one may stand twice.
    pub fn order(order: &[u32]) -> Communication {
        Communication::of(Source::Order(order.to_vec()))
    }

    fn of(source: Source) -> Communication {
        let place = Place::new(ENTRY.name, 0);
        Communication { source, constant: None, polynomial: None, own: (None, None), scatter: false, place }
    }

    /// That of a file of n rows of n numbers below k, for n digits to base k.
    ///
    /// # Errors
    /// The file cannot be read; what it holds is looked at when n and k are known.
    pub fn matrix(path: &str, files: &dyn Files) -> Result<Communication> {
        Ok(Communication::of(Source::File { text: read_text(files, path)?, path: path.to_string() }))
    }

    /// The same that keeps so many digits: of gather alone.
    ///
    /// # Errors
    /// It is another communication.
    pub fn rank(mut self, digits: u32) -> Result<Communication> {
        match &mut self.source {
            Source::Name("gather", rank) => *rank = Some(digits),
            _ => return Err(Error::argument("rank", "`rank` belongs to name=gather")),
        }
        Ok(self)
    }

    /// The same over the field of a polynomial, given as its digits to base p: 11 is x^3+x+1 for k = 8.
    #[must_use]
    pub fn polynomial(mut self, polynomial: u32) -> Communication {
        self.polynomial = Some(polynomial);
        self
    }

    /// The same with a constant that is added, digit by digit.
    #[must_use]
    pub fn plus(mut self, constant: &[u32]) -> Communication {
        self.constant = Some(constant.to_vec());
        self
    }

    /// The same with every message sent backwards.
    #[must_use]
    pub fn backwards(mut self) -> Communication {
        self.scatter = !self.scatter;
        self
    }

    /// Reads a spec such as `linear:digit-reverse`; `k` and `n` in it are what
    /// [`Communication::extents`] answers.
    ///
    /// # Errors
    /// The spec is of another kind, or has a wrong key or value.
    pub fn from_spec(spec: &str, place: &Place, files: &dyn Files) -> Result<Communication> {
        let params = Params::from_spec(spec, place)?;
        if params.kind() != ENTRY.name {
            let text = format!("`{}` is no linear-constant communication", params.kind());
            return Err(Error::input(text).at(place).hint(format!("example: {}", ENTRY.example)));
        }
        let reader = params.check(&ENTRY)?;
        reader.made(Communication::read(&reader, files))
    }

    fn read(reader: &Reader, files: &dyn Files) -> Result<Communication> {
        let name = reader.get::<String>("name")?;
        let name = name.map(|_| reader.choice("name", &NAMES)).transpose()?.map(|at| NAMES[at]);
        let (order, path) = (reader.get::<Digits>("order")?, reader.get::<String>("matrix")?);
        let constant = reader.get::<Digits>("b")?.map(|d| d.0);
        let (polynomial, scatter) = (reader.get("polynomial")?, reader.or("scatter", false)?);
        let own = (reader.get("k")?, reader.get::<u32>("n")?.map(checked_digits).transpose()?);
        // Misread keys are told first.
        reader.get::<u32>("rank")?;
        let communication = match (name, order, path) {
            (Some(name), None, None) => Communication::of(Source::Name(name, None)),
            (None, Some(Digits(order)), None) => Communication::of(Source::Order(order)),
            (None, None, Some(path)) => Communication::matrix(&path, files)?,
            _ => {
                return Err(Error::input("`linear` needs one of `name`, `order` and `matrix`")
                    .at(reader.place())
                    .hint(format!("example: {}", ENTRY.example)));
            }
        };
        let communication = reader.set(communication, "rank", Communication::rank)?;
        Ok(Communication { constant, polynomial, own, scatter, place: reader.place().clone(), ..communication })
    }

    /// Its keys on digits of these extents.
    fn params(&self, extents: &[u32]) -> Params {
        let digits = |digits: &[u32]| digits.iter().map(u32::to_string).collect::<Vec<_>>().join("-");
        let params = Params::named(ENTRY.name);
        let params = match &self.source {
            Source::Name(name, rank) => params.with("name", *name).maybe("rank", *rank),
            Source::Order(order) => params.with("order", &digits(order)[..]),
            Source::File { path, .. } => params.with("matrix", &path[..]),
        };
        let params = params.maybe("b", self.constant.as_deref().map(digits).as_deref());
        let params = params.unless("scatter", self.scatter, false);
        // Digits of different extents are those of a torus, which says them.
        let (k, n) = (extents[0], extents.len() as u32);
        let params = if extents.iter().all(|&e| e == k) { params.with("k", k).with("n", n) } else { params };
        params.maybe("polynomial", self.polynomial)
    }

    /// The extents of its digits: k, n times, where both were given; those of the
    /// torus where neither was.
    ///
    /// # Errors
    /// One of k and n alone was given, or neither and the machine is no torus.
    pub fn extents(&self, fabric: &Fabric) -> Result<Vec<u32>> {
        match (self.own, fabric.coordinates()) {
            ((Some(k), Some(n)), _) => Ok(vec![k; n as usize]),
            ((None, None), Some(extents)) => Ok(extents.to_vec()),
            _ => Err(self
                .wrong(format!("the numbers of digits are not known on {}", fabric.name()))
                .hint("give both, k= and n=, or use a torus or kncube")),
        }
    }

    /// The number of Ax + b for every x, on digits of the given extents.
    /// O(tasks * n).
    ///
    /// # Errors
    /// The extents do not fit, or the communication needs a field and there is none.
    pub fn table(&self, extents: &[u32]) -> Result<Vec<u32>> {
        let tasks = extents.iter().try_fold(1u32, |n, &k| n.checked_mul(k)).filter(|n| (1..=MOST_TASKS).contains(n));
        let tasks = tasks.ok_or_else(|| self.wrong(format!("expected 1 to {MOST_TASKS} tasks")))?;
        match (self.choice(extents)?, &self.constant) {
            (Some(choice), None) => self.chosen_digits(&choice, extents, tasks),
            (choice, _) => {
                let (field, map) = self.affine(choice, extents)?;
                Ok(map.table(&field))
            }
        }
    }

    /// Refuses a polynomial that makes no field of these digits, whether or not
    /// the communication needs the field.
    ///
    /// # Errors
    /// As [`Field::with_polynomial`], or the extents differ.
    pub fn check_polynomial(&self, extents: &[u32]) -> Result<()> {
        let Some(polynomial) = self.polynomial else { return Ok(()) };
        match extents {
            [k, rest @ ..] if rest.iter().all(|e| e == k) => {
                Field::with_polynomial(*k, polynomial).map(drop).map_err(|e| e.at(&self.place))
            }
            _ => Err(self
                .wrong(format!("`polynomial` is {polynomial}, but digits of different extents are no field"))
                .hint("leave polynomial= out")),
        }
    }

    /// For every digit of y the digit of x that it is, or none for 0; nothing
    /// where A comes from a file.
    fn choice(&self, extents: &[u32]) -> Result<Option<Vec<Option<usize>>>> {
        let n = extents.len();
        let by = |f: &dyn Fn(usize) -> usize| Ok(Some((0..n).map(|i| Some(f(i))).collect()));
        match &self.source {
            Source::File { .. } => Ok(None),
            Source::Order(order) if order.len() != n || order.iter().any(|&d| d as usize >= n) => {
                Err(self.wrong(format!("`order` has {} digits, expected {n} of 0 to {}", order.len(), n - 1)))
            }
            Source::Order(order) => by(&|i| order[i] as usize),
            Source::Name("transpose", _) if n % 2 == 1 => {
                Err(self.wrong(format!("transpose exchanges halves of the digits, and there are {n}")))
            }
            Source::Name("transpose", _) => by(&|i| (i + n / 2) % n),
            Source::Name("digit-reverse", _) => by(&|i| n - 1 - i),
            Source::Name("shuffle", _) => by(&|i| (i + n - 1) % n),
            Source::Name("unshuffle", _) => by(&|i| (i + 1) % n),
            Source::Name("butterfly", _) => by(&|i| if i == 0 || i == n - 1 { n - 1 - i } else { i }),
            Source::Name(_, rank) => match rank.map_or(n - 1, |r| r as usize) {
                rank if rank <= n => Ok(Some((0..n).map(|i| (i + rank >= n).then_some(i)).collect())),
                rank => Err(self.wrong(format!("`rank` is {rank}, expected 0 to {n}"))),
            },
        }
    }

    fn chosen_digits(&self, choice: &[Option<usize>], extents: &[u32], tasks: u32) -> Result<Vec<u32>> {
        for (i, from) in choice.iter().enumerate().filter_map(|(i, from)| Some((i, (*from)?))) {
            if extents[from] != extents[i] {
                let text = format!("digit {from} of x runs to {}, digit {i} of y to {}", extents[from], extents[i]);
                return Err(self.wrong(text).hint("exchanged dimensions must have equal extents"));
            }
        }
        let strides: Vec<u32> =
            extents.iter().scan(1, |stride, &k| Some(std::mem::replace(stride, *stride * k))).collect();
        let digit = |x: u32, d: usize| x / strides[d] % extents[d];
        let moved = |x, (i, from): (usize, &Option<usize>)| from.map_or(0, |d| digit(x, d) * strides[i]);
        Ok((0..tasks).map(|x| choice.iter().enumerate().map(|c| moved(x, c)).sum()).collect())
    }

    fn affine(&self, choice: Option<Vec<Option<usize>>>, extents: &[u32]) -> Result<(Field, Affine)> {
        let (k, n) = (extents[0], extents.len());
        if extents.iter().any(|&e| e != k) {
            return Err(self
                .wrong("a matrix or a constant needs equal extents in all dimensions")
                .hint("name= and order= without b= work on any torus"));
        }
        let field = match self.polynomial {
            Some(polynomial) => Field::with_polynomial(k, polynomial),
            None => Field::new(k),
        };
        let field = field.map_err(|e| e.at(&self.place))?;
        let a = match (&self.source, choice) {
            (Source::File { path, text }, _) => digit_matrix::parse(path, text, k, n)?,
            (_, choice) => {
                let choice = choice.unwrap_or_default();
                Matrix::from_fn(n, |i, j| u8::from(choice[i] == Some(j)))
            }
        };
        let b = match &self.constant {
            None => digits(0, k, n),
            Some(b) if b.len() == n && b.iter().all(|&d| d < k) => b.iter().map(|&d| d as u8).collect(),
            Some(b) => {
                return Err(self.wrong(format!("`b` has {} digits, expected {n} of 0 to {}", b.len(), k - 1)));
            }
        };
        Ok((field, Affine { a, b }))
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::input(message).at(&self.place)
    }
}
