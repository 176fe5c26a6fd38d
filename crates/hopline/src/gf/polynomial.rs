//! Polynomials over Z_p as numbers: the base-p digits are the coefficients,
//! lowest first.

/// Sum, digit by digit.
pub(super) fn sum(a: u32, b: u32, p: u32) -> u32 {
    if p == 2 {
        return a ^ b;
    }
    if a == 0 && b == 0 { 0 } else { (a + b) % p + p * sum(a / p, b / p, p) }
}

/// `c * a` for a digit c.
fn scaled(a: u32, c: u32, p: u32) -> u32 {
    match (a, c) {
        (0, _) | (_, 0) => 0,
        (_, 1) => a,
        _ => a % p * c % p + p * scaled(a / p, c, p),
    }
}

/// The product modulo `polynomial`, which is monic of the given degree.
pub(super) fn product(a: u32, b: u32, polynomial: u32, p: u32, degree: u32) -> u32 {
    let top = p.pow(degree - 1);
    let mut product = 0;
    // Horner: the highest coefficient of b first.
    for i in (0..degree).rev() {
        let lead = product / top;
        product = sum(product % top * p, scaled(polynomial % (top * p), (p - lead) % p, p), p);
        product = sum(product, scaled(a, b / p.pow(i) % p, p), p);
    }
    product
}

/// Remainder of a division by a monic polynomial of the given degree.
fn remainder(mut a: u32, divisor: u32, p: u32, degree: u32) -> u32 {
    while a >= p.pow(degree) {
        let high = a.ilog(p);
        let lead = a / p.pow(high);
        a = sum(a, scaled(divisor, p - lead, p) * p.pow(high - degree), p);
    }
    a
}

/// The monic irreducible polynomials of a degree, the least first; of degree 1
/// only x, because all of them make the same field of p elements.
pub(super) fn irreducible(p: u32, degree: u32) -> impl Iterator<Item = u32> {
    let first = p.pow(degree);
    let last = if degree == 1 { first + 1 } else { 2 * first };
    (first..last).filter(move |&f| {
        (1..=degree / 2).all(|d| (p.pow(d)..2 * p.pow(d)).all(|divisor| remainder(f, divisor, p, d) != 0))
    })
}
