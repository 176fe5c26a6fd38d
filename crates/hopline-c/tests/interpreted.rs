//! What an interpreter that looks for undefined behaviour can do of the library for C (`./check --full`): texts and arrays in, texts and
//! arrays out, refusals, and what is given back.

use hopline_c::error::{BAD_INPUT, OK, hopline_error};
use hopline_c::links::Links;
use hopline_c::machine::{
    Machine, NONE, hopline_find_host, hopline_first_slot, hopline_host_name, hopline_host_of, hopline_hosts,
    hopline_machine_free, hopline_machine_from_links, hopline_machine_from_spec, hopline_slots,
};
use hopline_c::map::{Options, Outcome, hopline_evaluate, hopline_map};
use hopline_c::tasks::Tasks;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

/// The error of the last call in a room of so many bytes, and its length.
fn told(room: usize) -> (String, usize) {
    let mut buffer = vec![1 as c_char; room];
    // SAFETY: the buffer has so many bytes.
    let length = unsafe { hopline_error(buffer.as_mut_ptr(), room) };
    // SAFETY: `hopline_error` ends what it writes with a zero byte.
    let text = unsafe { CStr::from_ptr(buffer.as_ptr()) };
    (text.to_str().expect("UTF-8").to_string(), length)
}

/// Four hosts on a ring, of two slots each.
fn ring() -> *mut Machine {
    let (offsets, ends, slots) = ([0, 2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 2, 0], [2; 4]);
    let links = Links {
        vertices: 4,
        xadj: offsets.as_ptr(),
        adjncy: ends.as_ptr(),
        gb_s: null(),
        hosts: 4,
        host: null(),
        slots: slots.as_ptr(),
    };
    // SAFETY: the arrays are as the header says, and live to the end of the call.
    unsafe { hopline_machine_from_links(&raw const links, null()) }
}

#[test]
fn names_and_numbers_of_a_machine() {
    // SAFETY: texts end with a zero byte; the machine is given back once, at the end.
    unsafe {
        let machine = hopline_machine_from_spec(c"torus:dims=2x2".as_ptr(), null());
        assert_eq!((hopline_hosts(machine), hopline_slots(machine)), (4, 4), "{:?}", told(200));
        let name = hopline_host_name(machine, 3);
        assert_eq!(hopline_find_host(machine, name), 3);
        assert_eq!((hopline_first_slot(machine, 2), hopline_host_of(machine, 2)), (2, 2));
        assert_eq!(hopline_host_of(machine, 4), NONE);
        assert!(hopline_host_name(machine, 4).is_null());
        assert_eq!(hopline_find_host(machine, c"nobody".as_ptr()), NONE);
        hopline_machine_free(machine);
        hopline_machine_free(null_mut());
    }
}

#[test]
fn refusals_are_texts_in_any_room() {
    for text in [c"torus:dims=0x2".as_ptr(), c"nothing".as_ptr(), c"\xff".as_ptr(), null()] {
        // SAFETY: a text that ends with a zero byte, or none.
        assert!(unsafe { hopline_machine_from_spec(text, null()) }.is_null());
        let (whole, length) = told(4096);
        assert_eq!(whole.len(), length);
        for room in 1..=length + 1 {
            let (cut, said) = told(room);
            assert!(whole.starts_with(&cut) && cut.len() < room && said == length, "{cut}");
        }
    }
    // SAFETY: a room of no bytes is not written to.
    assert!(unsafe { hopline_error(null_mut(), 0) } > 0);
    // SAFETY: no machine.
    assert_eq!(unsafe { hopline_hosts(null()) }, 0);
}

/// A caller that goes on; how often it was asked stands at `user`.
unsafe extern "C" fn go_on(user: *mut c_void) -> c_int {
    // SAFETY: the caller hands over a number that nobody else has meanwhile.
    unsafe { *user.cast::<u32>() += 1 };
    1
}

#[test]
fn tasks_are_mapped_and_evaluated() {
    let machine = ring();
    assert!(!machine.is_null(), "{:?}", told(200));
    let (offsets, ends, bytes) = ([0, 1, 2, 3, 4], [2, 3, 0, 1], [8.0; 4]);
    let tasks = Tasks { count: 4, xadj: offsets.as_ptr(), adjncy: ends.as_ptr(), bytes: bytes.as_ptr() };
    let (slots, pins, forbid) = ([0, 1, 2, 3, 4, 5], [NONE, NONE, 0, NONE], [5]);
    let mut asked = 0u32;
    let options = Options {
        strategy: c"greedy".as_ptr(),
        evaluations: 20,
        slots: 6,
        slot: slots.as_ptr(),
        pin: pins.as_ptr(),
        go_on: Some(go_on),
        user: (&raw mut asked).cast(),
        objective: c"hop-bytes".as_ptr(),
        forbidden: 1,
        forbid: forbid.as_ptr(),
        ..Options::default()
    };
    let (mut places, mut found, mut again) = ([NONE; 4], Outcome::default(), Outcome::default());
    // SAFETY: arrays are as the header says, and live to the end of the calls; the machine is given back once.
    unsafe {
        let code = hopline_map(machine, &raw const tasks, &raw const options, places.as_mut_ptr(), &raw mut found);
        assert_eq!(code, OK, "{:?}", told(200));
        assert_eq!(hopline_evaluate(machine, &raw const tasks, places.as_ptr(), &raw mut again), OK);
        let few = [0];
        let wrong = Options { slots: 1, slot: few.as_ptr(), ..Options::default() };
        let code = hopline_map(machine, &raw const tasks, &raw const wrong, places.as_mut_ptr(), null_mut());
        assert_eq!(code, BAD_INPUT, "four tasks into one slot");
        hopline_machine_free(machine);
    }
    // Pairs share a host, so nothing travels.
    assert_eq!((found.hop_bytes, again.hop_bytes, places[2]), (0.0, 0.0, 0), "{places:?}");
    assert!(asked > 0);
}
