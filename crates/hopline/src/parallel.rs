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

/// What shares out work again and again, by one of the threads that get it: so none has to be woken for each time.
pub(crate) fn inside<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    return rayon::scope(|_| f());
    #[cfg(not(feature = "parallel"))]
    f()
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

/// `f` of every item with its number, at least `least` of them by one thread.
#[cfg_attr(not(feature = "parallel"), allow(unused_variables))]
pub(crate) fn each<T: Send>(items: &mut [T], least: usize, f: impl Fn(usize, &mut T) + Sync + Send) {
    #[cfg(feature = "parallel")]
    items.par_iter_mut().with_min_len(least).enumerate().for_each(|(i, item)| f(i, item));
    #[cfg(not(feature = "parallel"))]
    items.iter_mut().enumerate().for_each(|(i, item)| f(i, item));
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
        let mut items = vec![1; 1000];
        each(&mut items, 10, |i, item| *item += i);
        assert_eq!(items, (1..=1000).collect::<Vec<_>>());
        assert_eq!(both(|| 1, || "two"), (1, "two"));
        assert_eq!(inside(|| map(3, |i| i)), [0, 1, 2]);
        assert!(threads() >= 1);
    }
}
