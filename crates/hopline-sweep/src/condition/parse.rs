//! Text of a condition to its tree: words first, then operators by how tightly they bind.

use super::{Expression, Operand, Operator};
use Operator::{
    And, Equal, Greater, GreaterEqual, Less, LessEqual, Minus, Or, Over, Plus, Power, Remainder, Times, Unequal,
};

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Constant(Operand),
    Name(String),
    Operator(Operator),
    Not,
    Open,
    Close,
}

/// Symbols, the longer ones first.
const SYMBOLS: [(&str, Token); 17] = [
    ("&&", Token::Operator(And)),
    ("||", Token::Operator(Or)),
    ("==", Token::Operator(Equal)),
    ("!=", Token::Operator(Unequal)),
    ("<=", Token::Operator(LessEqual)),
    (">=", Token::Operator(GreaterEqual)),
    ("<", Token::Operator(Less)),
    (">", Token::Operator(Greater)),
    ("=", Token::Operator(Equal)),
    ("+", Token::Operator(Plus)),
    ("-", Token::Operator(Minus)),
    ("*", Token::Operator(Times)),
    ("/", Token::Operator(Over)),
    ("%", Token::Operator(Remainder)),
    ("^", Token::Operator(Power)),
    ("!", Token::Not),
    ("(", Token::Open),
];

/// Parentheses and signs inside each other.
const DEEPEST: usize = 100;

/// Words of a condition.
const LONGEST: usize = 1000;

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut rest, mut all) = (text.trim_start(), Vec::new());
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() || first == '.' {
            let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let number = rest[..length].parse().map_err(|_| format!("`{}` is no number", &rest[..length]))?;
            all.push(Token::Constant(Operand::Number(number)));
            length
        } else if first.is_alphabetic() || first == '_' {
            // Names of keys have dots and hyphens in them; `a - b` is a difference.
            let inside = |c: char| c.is_alphanumeric() || ['_', '.', '-'].contains(&c);
            let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            all.push(word(&rest[..length]));
            length
        } else if first == '"' || first == '\'' {
            let end = rest[1..].find(first).ok_or("a text is not closed")?;
            all.push(Token::Constant(Operand::Text(rest[1..=end].to_string())));
            end + 2
        } else if first == ')' {
            all.push(Token::Close);
            1
        } else {
            let found = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol));
            let (symbol, token) = found.ok_or_else(|| format!("`{first}` is not understood"))?;
            all.push(token.clone());
            symbol.len()
        };
        rest = rest[length..].trim_start();
    }
    if all.len() > LONGEST { Err(format!("has more than {LONGEST} words")) } else { Ok(all) }
}

fn word(text: &str) -> Token {
    match text {
        "and" => Token::Operator(And),
        "or" => Token::Operator(Or),
        "not" => Token::Not,
        "true" | "false" => Token::Constant(Operand::Truth(text == "true")),
        name => Token::Name(name.to_string()),
    }
}

/// What binds tighter has a larger number.
fn binding(operator: Operator) -> u8 {
    match operator {
        Or => 1,
        And => 2,
        Equal | Unequal | Less | LessEqual | Greater | GreaterEqual => 3,
        Plus | Minus => 4,
        Times | Over | Remainder => 5,
        Power => 7,
    }
}

struct Parser {
    /// The next one last.
    tokens: Vec<Token>,
}

/// # Errors
/// Why it is no expression.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let mut tokens = tokens(text)?;
    tokens.reverse();
    let mut parser = Parser { tokens };
    let root = parser.expression(1, 0)?;
    match parser.tokens.last() {
        None => Ok(root),
        Some(Token::Close) => Err("a parenthesis is closed that is not open".into()),
        Some(_) => Err("an operator is missing between two operands".into()),
    }
}

impl Parser {
    /// Operators that bind at least so tightly.
    fn expression(&mut self, least: u8, depth: usize) -> Result<Expression, String> {
        let mut left = self.operand(depth)?;
        while let Some(&Token::Operator(operator)) = self.tokens.last() {
            let own = binding(operator);
            if own < least {
                break;
            }
            self.tokens.pop();
            // Powers alone go from right to left.
            let right = self.expression(if operator == Power { own } else { own + 1 }, depth + 1)?;
            left = Expression::Pair(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Expression, String> {
        if depth > DEEPEST {
            return Err("too deep".into());
        }
        match self.tokens.pop() {
            Some(Token::Constant(operand)) => Ok(Expression::Constant(operand)),
            Some(Token::Name(name)) => Ok(Expression::Name(name)),
            // Looser than comparisons, as in Python.
            Some(Token::Not) => Ok(Expression::Not(Box::new(self.expression(3, depth + 1)?))),
            Some(Token::Operator(Minus)) => Ok(Expression::Negative(Box::new(self.expression(6, depth + 1)?))),
            Some(Token::Open) => {
                let inner = self.expression(1, depth + 1)?;
                match self.tokens.pop() {
                    Some(Token::Close) => Ok(inner),
                    _ => Err("a parenthesis is not closed".into()),
                }
            }
            Some(_) => Err("an operand is missing".into()),
            None => Err("it ends where an operand is expected".into()),
        }
    }
}
