//! Conditions on the points of a grid, such as `ns*nd <= 512 && routing != "minimal"`.

mod parse;

use hopline::error::{Error, Place, Result};
use hopline::params::Value;

/// A condition with where it stood.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    text: String,
    place: Place,
    root: Expression,
}

#[derive(Debug, Clone)]
enum Expression {
    Constant(Operand),
    Name(String),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Pair(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Number(f64),
    Text(String),
    Truth(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Over,
    Remainder,
    Power,
}

impl Condition {
    /// # Errors
    /// It is no condition; the message says what was expected.
    pub(crate) fn read(text: &str, place: &Place) -> Result<Condition> {
        let root = parse::parse(text).map_err(|why| {
            Error::input(format!("`{text}`: {why}")).at(place).hint("a condition looks like ns*nd <= 512 && load < 0.5")
        })?;
        Ok(Condition { text: text.to_string(), place: place.clone(), root })
    }

    /// Whether it holds for these values of names.
    ///
    /// # Errors
    /// A name that nobody knows, or operands that do not go together.
    pub(crate) fn holds(&self, lookup: &dyn Fn(&str) -> Option<Value>) -> Result<bool> {
        let wrong = |why: String| Error::input(format!("`{}`: {why}", self.text)).at(&self.place);
        match evaluate(&self.root, lookup).map_err(wrong)? {
            Operand::Truth(truth) => Ok(truth),
            _ => Err(wrong("is neither true nor false".into()).hint("compare with <, <=, ==, !=, >= or >")),
        }
    }
}

fn evaluate(of: &Expression, lookup: &dyn Fn(&str) -> Option<Value>) -> Result<Operand, String> {
    match of {
        Expression::Constant(operand) => Ok(operand.clone()),
        Expression::Name(name) => match lookup(name).ok_or_else(|| format!("nothing is called `{name}`"))? {
            Value::Int(n) => Ok(Operand::Number(n as f64)),
            Value::Float(x) => Ok(Operand::Number(x)),
            Value::Bool(b) => Ok(Operand::Truth(b)),
            other => Ok(Operand::Text(other.show())),
        },
        Expression::Not(inner) => truth(&evaluate(inner, lookup)?).map(|t| Operand::Truth(!t)),
        Expression::Negative(inner) => number(&evaluate(inner, lookup)?).map(|x| Operand::Number(-x)),
        Expression::Pair(operator @ (Operator::And | Operator::Or), a, b) => {
            // What is decided asks no further: `kind != "percs" || ns < 4` holds where there is no ns.
            match (operator, truth(&evaluate(a, lookup)?)?) {
                (Operator::And, false) => Ok(Operand::Truth(false)),
                (Operator::Or, true) => Ok(Operand::Truth(true)),
                _ => truth(&evaluate(b, lookup)?).map(Operand::Truth),
            }
        }
        Expression::Pair(operator, a, b) => apply(*operator, &evaluate(a, lookup)?, &evaluate(b, lookup)?),
    }
}

fn apply(operator: Operator, a: &Operand, b: &Operand) -> Result<Operand, String> {
    use Operator::{
        Equal, Greater, GreaterEqual, Less, LessEqual, Minus, Over, Plus, Power, Remainder, Times, Unequal,
    };
    if matches!(operator, Equal | Unequal) {
        return Ok(Operand::Truth(equal(a, b) == (operator == Equal)));
    }
    let (x, y) = (number(a)?, number(b)?);
    if matches!(operator, Over | Remainder) && y == 0.0 {
        return Err(format!("{x} is divided by 0"));
    }
    Ok(match operator {
        Less => Operand::Truth(x < y),
        LessEqual => Operand::Truth(x <= y),
        Greater => Operand::Truth(x > y),
        GreaterEqual => Operand::Truth(x >= y),
        Plus => Operand::Number(x + y),
        Minus => Operand::Number(x - y),
        Times => Operand::Number(x * y),
        Over => Operand::Number(x / y),
        Remainder => Operand::Number(x % y),
        Power => Operand::Number(x.powf(y)),
        // Handled before.
        Equal | Unequal | Operator::And | Operator::Or => Operand::Truth(false),
    })
}

/// Lists may mix numbers and texts, so a text is equal to the number that it spells, and else to none.
fn equal(a: &Operand, b: &Operand) -> bool {
    match (a, b) {
        (Operand::Number(x), Operand::Text(text)) | (Operand::Text(text), Operand::Number(x)) => text.parse() == Ok(*x),
        _ => a == b,
    }
}

impl Operand {
    fn show(&self) -> String {
        match self {
            Operand::Number(x) => x.to_string(),
            Operand::Text(text) => format!("\"{text}\""),
            Operand::Truth(truth) => truth.to_string(),
        }
    }
}

fn truth(operand: &Operand) -> Result<bool, String> {
    if let Operand::Truth(truth) = operand {
        Ok(*truth)
    } else {
        Err(format!("{} is neither true nor false", operand.show()))
    }
}

fn number(operand: &Operand) -> Result<f64, String> {
    if let Operand::Number(x) = operand { Ok(*x) } else { Err(format!("{} is no number", operand.show())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Result<bool> {
        let lookup = |name: &str| match name {
            "ns" => Some(Value::Int(32)),
            "topology.nd" => Some(Value::Int(4)),
            "load" => Some(Value::Float(0.3)),
            "routing" => Some("valiant-any".into()),
            "connected" => Some(true.into()),
            _ => None,
        };
        Condition::read(text, &Place::new("a.toml", 7))?.holds(&lookup)
    }

    #[test]
    fn operators_bind_as_everywhere() {
        for text in [
            "ns*topology.nd <= 512",
            "ns + 2*3 == 38 && load < 0.5",
            "2^3^2 == 512 && -2^2 == -4",
            "10 - 3 - 2 == 5 && 7 % 4 == 3 && 8/4/2 == 1",
            "routing == \"valiant-any\" && routing != 'minimal'",
            "load == 0.3 || nobody",
            "!(ns < 4) && connected and not (ns == 1)",
            "false or connected == true",
            "ns != \"a\" && ns == \"32\" && routing != 3 && connected != 1",
        ] {
            assert_eq!(holds(text), Ok(true), "{text}");
        }
        assert_eq!(holds("ns*topology.nd > 512"), Ok(false));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let of = |text: &str| holds(text).expect_err(text).to_string();
        assert_eq!(of("nss < 3"), "a.toml:7: `nss < 3`: nothing is called `nss`");
        assert!(of("ns < \"a\"").contains("\"a\" is no number"));
        assert!(of("ns / 0 > 1").contains("32 is divided by 0") && of("ns % 0 == 1").contains("divided by 0"));
        assert!(of("ns * 2").contains("neither true nor false"));
        for text in ["", "ns <", "(ns < 3", "ns < 3)", "ns << 3", "'open", "ns < 3 4", "&&", "a..b < 1", "1.2.3 < 4"] {
            assert!(of(text).starts_with("a.toml:7: "), "{text}");
        }
        let deep = format!("{}1 == 1{}", "(".repeat(300), ")".repeat(300));
        assert!(of(&deep).contains("too deep"));
    }
}
