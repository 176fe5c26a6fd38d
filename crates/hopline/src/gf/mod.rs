//! Finite fields GF(p^m) of at most 256 elements, by tables, and matrices over
//! them. McEliece, "Finite Fields for Computer Scientists and Engineers".
//!
//! An element is a number below k = p^m whose base-p digits are the
//! coefficients of a polynomial, lowest first. Sums are taken digit by digit
//! (for p = 2: XOR), products modulo an irreducible polynomial of degree m. For
//! a prime k this is arithmetic modulo k.

mod affine;
mod matrix;
mod polynomial;

pub use affine::{Affine, digits, number};
pub use matrix::Matrix;

use crate::error::{Error, Result};

/// A finite field: see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    size: u32,
    /// Characteristic p.
    prime: u32,
    /// The irreducible polynomial, its coefficients as base-p digits.
    polynomial: u32,
    /// `add[a * k + b]`; empty for p = 2, where a sum is an XOR.
    add: Vec<u8>,
    /// `mul[a * k + b]`.
    mul: Vec<u8>,
    negative: Vec<u8>,
    /// Entry 0 is 0.
    inverse: Vec<u8>,
}

impl Field {
    /// The field of `size` elements with its least irreducible polynomial
    /// (x^2+x+1, x^3+x+1, x^4+x+1 for 4, 8, 16). O(size^2).
    ///
    /// # Errors
    /// The size is no power of a prime, or above 256.
    pub fn new(size: u32) -> Result<Field> {
        let (prime, degree) = prime_power(size)?;
        let least = polynomial::irreducible(prime, degree).next();
        let least = least.ok_or_else(|| Error::failed(format!("no irreducible polynomial for {size}")))?;
        Ok(Field::build(prime, degree, least))
    }

    /// The field of `size` elements modulo a polynomial given as a number whose
    /// base-p digits are its coefficients: 13 = 1101 in base 2 is x^3+x^2+1.
    ///
    /// # Errors
    /// As [`Field::new`], and where the polynomial is not an irreducible one of
    /// the right degree.
    pub fn with_polynomial(size: u32, polynomial: u32) -> Result<Field> {
        let (prime, degree) = prime_power(size)?;
        // x, x+1, ... all make the same field of p elements.
        let of_prime = degree == 1 && (prime..2 * prime).contains(&polynomial);
        let known: Vec<u32> = polynomial::irreducible(prime, degree).collect();
        if !of_prime && !known.contains(&polynomial) {
            let known: Vec<String> = known.iter().take(8).map(u32::to_string).collect();
            return Err(Error::input(format!("polynomial {polynomial} does not make a field of {size} elements"))
                .hint(format!("known are: {}", known.join(", "))));
        }
        Ok(Field::build(prime, degree, polynomial))
    }

    /// The field of `size` elements once for every irreducible polynomial, the
    /// least first.
    ///
    /// # Errors
    /// As [`Field::new`].
    pub fn all(size: u32) -> Result<impl Iterator<Item = Field>> {
        let (prime, degree) = prime_power(size)?;
        Ok(polynomial::irreducible(prime, degree).map(move |polynomial| Field::build(prime, degree, polynomial)))
    }

    fn build(prime: u32, degree: u32, polynomial: u32) -> Field {
        let size = prime.pow(degree);
        let table = |f: &dyn Fn(u32, u32) -> u32| -> Vec<u8> {
            (0..size).flat_map(|a| (0..size).map(move |b| f(a, b) as u8)).collect()
        };
        let mul = table(&|a, b| polynomial::product(a, b, polynomial, prime, degree));
        let add = table(&|a, b| polynomial::sum(a, b, prime));
        let partner = |table: &[u8], a: u32, result: u8| {
            (0..size).find(|b| table[(a * size + b) as usize] == result).unwrap_or(0) as u8
        };
        let negative = (0..size).map(|a| partner(&add, a, 0)).collect();
        let inverse = (0..size).map(|a| if a == 0 { 0 } else { partner(&mul, a, 1) }).collect();
        Field { size, prime, polynomial, add: if prime == 2 { Vec::new() } else { add }, mul, negative, inverse }
    }

    /// Number of elements, k.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The irreducible polynomial, as [`Field::with_polynomial`] takes it; for a
    /// prime size it has degree 1 and no effect.
    pub fn polynomial(&self) -> u32 {
        self.polynomial
    }

    /// All elements, 0 first.
    pub fn elements(&self) -> impl Iterator<Item = u8> + use<> {
        (0..self.size).map(|a| a as u8)
    }

    /// Sum.
    #[inline]
    pub fn add(&self, a: u8, b: u8) -> u8 {
        if self.prime == 2 { a ^ b } else { self.add[a as usize * self.size as usize + b as usize] }
    }

    /// Difference.
    #[inline]
    pub fn sub(&self, a: u8, b: u8) -> u8 {
        self.add(a, self.negative[b as usize])
    }

    /// Product.
    #[inline]
    pub fn mul(&self, a: u8, b: u8) -> u8 {
        self.mul[a as usize * self.size as usize + b as usize]
    }

    /// What adds up to 0 with `a`.
    #[inline]
    pub fn neg(&self, a: u8) -> u8 {
        self.negative[a as usize]
    }

    /// What multiplies to 1 with `a`; 0 for 0.
    #[inline]
    pub fn inv(&self, a: u8) -> u8 {
        self.inverse[a as usize]
    }

    /// `to[i] += c * from[i]`.
    #[inline]
    pub(crate) fn add_multiple(&self, to: &mut [u8], c: u8, from: &[u8]) {
        let multiples = &self.mul[c as usize * self.size as usize..][..self.size as usize];
        to.iter_mut().zip(from).for_each(|(t, &f)| *t = self.add(*t, multiples[f as usize]));
    }
}

/// The prime and the exponent of a power of a prime from 2 to 256.
fn prime_power(size: u32) -> Result<(u32, u32)> {
    let power = (2..=size).find(|p| size.is_multiple_of(*p)).and_then(|prime| {
        let degree = size.ilog(prime);
        (prime.pow(degree) == size).then_some((prime, degree))
    });
    power.filter(|_| size <= 256).ok_or_else(|| {
        Error::input(format!("there is no field of {size} elements here"))
            .hint("sizes are powers of a prime from 2 to 256: 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, ...")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_primes() {
        let sizes: Vec<u32> = (0..=33).filter(|&k| Field::new(k).is_ok()).collect();
        assert_eq!(sizes, [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]);
        assert!(Field::new(256).is_ok() && Field::new(257).is_err() && Field::new(u32::MAX).is_err());
        assert!(Field::with_polynomial(8, 12).is_err() && Field::with_polynomial(8, 7).is_err());
    }

    #[test]
    fn the_usual_polynomials_come_first() {
        let all = |k| Field::all(k).expect("field").map(|f| f.polynomial()).collect::<Vec<_>>();
        assert_eq!((all(4), all(8), all(16)), (vec![7], vec![11, 13], vec![19, 25, 31]));
        assert_eq!(all(256).len(), 30);
        assert_eq!(all(5).len(), 1, "a prime field has one form");
    }

    #[test]
    fn every_field_obeys_its_axioms() {
        for size in [2, 3, 4, 5, 7, 8, 9, 16, 25, 27] {
            for f in Field::all(size).expect("field") {
                for a in f.elements() {
                    assert_eq!((f.add(a, 0), f.mul(a, 1), f.mul(a, 0)), (a, a, 0));
                    assert_eq!((f.add(a, f.neg(a)), f.sub(a, a)), (0, 0));
                    assert!(a == 0 || f.mul(a, f.inv(a)) == 1);
                    for b in f.elements() {
                        assert_eq!((f.add(a, b), f.mul(a, b)), (f.add(b, a), f.mul(b, a)));
                        assert_eq!(f.add(f.sub(a, b), b), a);
                        for c in f.elements() {
                            assert_eq!(f.mul(a, f.add(b, c)), f.add(f.mul(a, b), f.mul(a, c)));
                            assert_eq!(f.mul(a, f.mul(b, c)), f.mul(f.mul(a, b), c));
                            assert_eq!(f.add(a, f.add(b, c)), f.add(f.add(a, b), c));
                        }
                    }
                }
            }
        }
    }
}
