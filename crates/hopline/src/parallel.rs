//! Work on all threads: the only place that knows of rayon. Results come in the order of their numbers, so that they
//! are the same at any number of threads; without the feature `parallel` one thread does everything.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Threads that work side by side here.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// `f` of 0 to `count` - 1.
pub(crate) fn map<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    map_with(count, || (), |(), i| f(i))
}

/// The same with something that each thread makes for itself, more than once perhaps.
pub(crate) fn map_with<S, R: Send>(
    count: usize,
    init: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, usize) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().map_init(init, f).collect();
    #[cfg(not(feature = "parallel"))]
    {
        let mut own = init();
        (0..count).map(|i| f(&mut own, i)).collect()
    }
}

/// `f` of 0 to `count` - 1, until one fails.
///
/// # Errors
/// That of one that failed.
pub(crate) fn try_map<R: Send, E: Send>(
    count: usize,
    f: impl Fn(usize) -> Result<R, E> + Sync + Send,
) -> Result<Vec<R>, E> {
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().map(f).collect();
    #[cfg(not(feature = "parallel"))]
    (0..count).map(f).collect()
}

/// Both, side by side where a thread is free.
pub(crate) fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_their_numbers() {
        let squares: Vec<usize> = (0..1000).map(|i| i * i).collect();
        assert_eq!(map(1000, |i| i * i), squares);
        assert_eq!(
            map_with(1000, Vec::new, |own: &mut Vec<usize>, i| {
                own.push(i);
                i * i
            }),
            squares
        );
        assert_eq!(try_map(1000, |i| Ok::<_, ()>(i * i)), Ok(squares));
        assert_eq!(try_map(1000, |i| if i == 700 { Err(i) } else { Ok(i) }), Err(700));
        assert_eq!(both(|| 1, || "two"), (1, "two"));
        assert!(threads() >= 1);
    }
}
