//! One mapping for given communications, and a mapping that is given.

use super::*;

/// Bits exchanged in pairs are digits of 4 exchanged; k= and n= say which are meant.
#[test]
fn communications_of_one_mapping_keep_their_own_digits() {
    let topology = "kncube:k=4,n=2";
    let job = job("linear:transpose", topology);
    let of = |wanted: &str| map(topology, &job, &format!("linear:for=[{wanted}]")).map(|m| m.0);
    let plain = of("linear:transpose").expect("plain");
    assert_eq!(of("linear:order=2-3-0-1,k=2,n=4"), Ok(plain.clone()));
    assert_eq!(of("linear:transpose,k=2,n=4"), Ok(plain.clone()));
    assert_eq!(of("linear:transpose,k=4,n=2"), Ok(plain.clone()));
    assert_ne!(of("linear:order=0-1,k=4,n=2"), Ok(plain));
}

/// A matrix over the other form of the field of 8 elements; multiplication by 2
/// in it is a table of bits too, which names no polynomial.
#[test]
fn one_mapping_takes_the_form_of_the_field_that_is_given() {
    let mut files = Memory::default();
    files.0.insert("a.txt".into(), b"2 1 0\n0 3 1\n1 0 0\n".to_vec());
    let double = "0 0 1 0 0 0\n1 0 0 0 0 0\n0 1 1 0 0 0\n0 0 0 1 0 0\n0 0 0 0 1 0\n0 0 0 0 0 1\n";
    files.0.insert("bits.txt".into(), double.into());
    for wanted in [
        "linear:matrix=a.txt,polynomial=13",
        "linear:matrix=a.txt,polynomial=13;linear:digit-reverse",
        "linear:matrix=a.txt;linear:shuffle",
    ] {
        let mapping = format!("linear:for=[{wanted}]");
        let job = demand(&(0..512).collect::<Vec<_>>(), false);
        assert!(map_with("kncube:k=8,n=3", &job, &mapping, &files).is_ok(), "{wanted}");
    }
    let job = demand(&(0..64).collect::<Vec<_>>(), false);
    let of = |wanted: &str| map_with("kncube:k=8,n=2", &job, &format!("linear:for=[{wanted}]"), &files).map(|_| ());
    assert_eq!(of("linear:matrix=bits.txt,k=2,n=6;linear:transpose"), Ok(()));
    let other = of("linear:matrix=bits.txt,k=2,n=6;linear:transpose,polynomial=11").expect_err("13 alone");
    assert!(other.ends_with("not `linear:matrix=bits.txt,k=2,n=6` with polynomial 11"), "{other}");
}

/// Q of Example 4 of the paper: T is 8 in task order and 2 under it.
#[test]
fn a_matrix_of_the_user_is_the_mapping() {
    let mut files = Memory::default();
    let q = "1 0 1 0\n0 1 0 1\n0 0 1 0\n0 0 0 1\n";
    files.0.insert("q.txt".into(), q.into());
    files.0.insert("half.txt".into(), q.replace("0 0 0 1", "0 1 0 1").into());
    let job = job("linear:transpose", "kncube:k=4,n=4");
    let (chosen, t, notes) = map_with("kncube:k=4,n=4", &job, "linear:matrix=q.txt", &files).expect("map");
    assert_eq!((chosen.slot(64).0, t), (64 + 4, 2.0));
    assert_eq!(notes, ["linear: task x on node Qx, Q in q.txt; the busiest link carries 2, in task order 8"]);
    for (topology, mapping, error) in [
        (
            "kncube:k=4,n=4",
            "linear:matrix=half.txt",
            "the matrix in half.txt has rank 3, expected 4; of a lower rank it puts several tasks on one node",
        ),
        (
            "kncube:k=4,n=4",
            "linear:matrix=q.txt,polynomial=5",
            "polynomial 5 does not make a field of 4 elements; known are: 7",
        ),
        (
            "torus:dims=16x16",
            "linear:matrix=q.txt",
            "q.txt:1: a row too many or of the wrong length; expected 2 rows of 2 numbers from 0 to 15, one row for each dimension",
        ),
        (
            "torus:dims=8x32",
            "linear:matrix=q.txt",
            "mapping `linear:matrix=...` needs a torus or mesh whose extents are all equal",
        ),
        ("kncube:k=4,n=4", "linear:matrix=no.txt", "no.txt: no such file"),
    ] {
        assert_eq!(map_with(topology, &job, mapping, &files).map(|m| m.1), Err(error.to_string()));
    }
}

/// The note says T of each communication, whatever the traffic is.
#[test]
fn one_mapping_says_what_it_does_for_each() {
    let mapping = "linear:for=[linear:transpose;linear:gather,rank=2;linear:order=0-1-2-3]";
    let (_, _, notes) = map("kncube:k=4,n=4", &job("linear:transpose", "kncube:k=4,n=4"), mapping).expect("map");
    assert_eq!(
        notes,
        ["linear: one mapping for 3 communications, T = 2, 8, 0 for them; the busiest link carries 2, in task order 8"]
    );
}
