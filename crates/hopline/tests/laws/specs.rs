//! Specs say what their parameters say.

use super::*;

/// Values as a spec string can hold them, with or without a key before them.
fn values(keyed: bool) -> impl Strategy<Value = Value> {
    // A word with `=` is a value only where what stands before cannot be a key: see the fault below.
    let words = if keyed { "[A-Za-z_~/][A-Za-z0-9_~/. ,:=+-]{0,12}" } else { "[A-Za-z_~/][A-Za-z0-9_~/. ,:+-]{0,12}" };
    let paths = "[A-Za-z0-9_.]{0,4}/[A-Za-z0-9_~/. ,:=+-]{0,12}";
    let texts = prop_oneof![words, paths, "inf", "nan", "[1-9]x[1-9]", "[1-9]GB/s"];
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        (-1000..1000i64).prop_map(Value::Int),
        prop::num::f64::NORMAL.prop_filter("a whole number is an Int", |x| x.fract() != 0.0).prop_map(Value::Float),
        any::<bool>().prop_map(Value::Bool),
        texts.prop_filter("a word of its own type", |t| t != "true" && t != "false").prop_map(Value::Text),
    ]
}

fn params() -> impl Strategy<Value = Params> {
    let keyed = vec(("[A-Za-z0-9_-]{1,6}", values(true)), 0..4);
    let bare = vec(values(false), 0..3);
    ("[a-z][a-z0-9-]{0,8}", keyed, bare).prop_map(|(kind, keyed, bare)| {
        let place = Place::new("test", 0);
        let mut params = Params::new(&kind, place.clone());
        let bare = bare.into_iter().map(|value| (String::new(), value));
        for (key, value) in bare.chain(keyed) {
            // A key that stands twice is refused, and so stands once.
            let _ = params.push(&key, value, place.clone());
        }
        params
    })
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn a_spec_says_what_its_params_say(params in params()) {
        let spec = params.spec();
        let read = Params::from_spec(&spec, &Place::new("test", 0));
        prop_assert_eq!(read, Ok(params), "{}", spec);
    }
}
