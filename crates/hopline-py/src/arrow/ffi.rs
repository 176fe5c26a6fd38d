//! The three structures of Arrow's C interfaces, and their callbacks.

use super::column::Column;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// Values may be missing: Arrow's flag 2.
const NULLABLE: i64 = 2;

/// What a stream gives.
#[derive(Clone)]
pub(super) struct Shape {
    pub(super) columns: Arc<Vec<(CString, Column)>>,
    pub(super) rows: usize,
}

/// `struct ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(super) struct ArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrayStream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrayStream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrayStream)>,
    private_data: *mut c_void,
}

// SAFETY: what it points to is a `State` that it owns, which any thread may have; callbacks change nothing of a thread.
unsafe impl Send for ArrayStream {}
// SAFETY: nothing can be done with a shared reference to it but to copy pointers.
unsafe impl Sync for ArrayStream {}

/// What a stream owns.
struct State {
    shape: Shape,
    done: bool,
}

/// What a schema or an array owns: its columns, its children's addresses, its buffers' addresses.
struct Owned<T> {
    _shape: Shape,
    children: Vec<*mut T>,
    buffers: Vec<*const c_void>,
}

impl ArrayStream {
    /// A stream of one batch.
    pub(super) fn new(shape: Shape) -> ArrayStream {
        ArrayStream {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release_stream),
            private_data: Box::into_raw(Box::new(State { shape, done: false })).cast(),
        }
    }
}

impl Drop for ArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: not released yet, so the state is still its own.
            unsafe { release(self) }
        }
    }
}

/// A part of a schema.
fn schema(shape: &Shape, format: *const c_char, name: *const c_char, children: Vec<*mut Schema>) -> Schema {
    let mut owned = Box::new(Owned { _shape: shape.clone(), children, buffers: Vec::new() });
    Schema {
        format,
        name,
        metadata: null(),
        flags: NULLABLE,
        n_children: owned.children.len() as i64,
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(owned).cast(),
    }
}

/// A part of a batch.
fn array(shape: &Shape, nulls: usize, buffers: Vec<*const c_void>, children: Vec<*mut Array>) -> Array {
    let mut owned = Box::new(Owned { _shape: shape.clone(), children, buffers });
    Array {
        length: shape.rows as i64,
        null_count: nulls as i64,
        offset: 0,
        n_buffers: owned.buffers.len() as i64,
        n_children: owned.children.len() as i64,
        buffers: owned.buffers.as_mut_ptr(),
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(owned).cast(),
    }
}

unsafe extern "C" fn get_schema(stream: *mut ArrayStream, out: *mut Schema) -> c_int {
    // SAFETY: the reader hands in a stream that is not released, whose state nobody else has.
    let state = unsafe { &*(*stream).private_data.cast::<State>() };
    let part = |(name, column): &(CString, Column)| {
        Box::into_raw(Box::new(schema(&state.shape, column.format().as_ptr(), name.as_ptr(), Vec::new())))
    };
    let children = state.shape.columns.iter().map(part).collect();
    // SAFETY: the reader hands in room for a schema, which holds none yet.
    unsafe { out.write(schema(&state.shape, c"+s".as_ptr(), c"".as_ptr(), children)) };
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrayStream, out: *mut Array) -> c_int {
    // SAFETY: as above.
    let state = unsafe { &mut *(*stream).private_data.cast::<State>() };
    let part = |(_, column): &(CString, Column)| {
        Box::into_raw(Box::new(array(&state.shape, column.nulls, column.buffers(), Vec::new())))
    };
    let next = match state.done {
        false => array(&state.shape, 0, vec![null()], state.shape.columns.iter().map(part).collect()),
        // An array that is released already ends the stream.
        true => Array { release: None, private_data: null_mut(), ..empty() },
    };
    state.done = true;
    // SAFETY: the reader hands in room for an array, which holds none yet.
    unsafe { out.write(next) };
    0
}

/// An array of nothing.
fn empty() -> Array {
    Array {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: null_mut(),
        children: null_mut(),
        dictionary: null_mut(),
        release: None,
        private_data: null_mut(),
    }
}

unsafe extern "C" fn get_last_error(_: *mut ArrayStream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrayStream) {
    // SAFETY: called once, since it clears itself; the state was boxed by `ArrayStream::new`.
    unsafe {
        (*stream).release = None;
        drop(Box::from_raw((*stream).private_data.cast::<State>()));
    }
}

unsafe extern "C" fn release_schema(part: *mut Schema) {
    // SAFETY: called once, since it clears itself; `schema` boxed what it owns, and each child by itself. A child that
    // was moved out by the reader has no release any more.
    unsafe {
        (*part).release = None;
        let owned = Box::from_raw((*part).private_data.cast::<Owned<Schema>>());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
    }
}

unsafe extern "C" fn release_array(part: *mut Array) {
    // SAFETY: as for schemas.
    unsafe {
        (*part).release = None;
        let owned = Box::from_raw((*part).private_data.cast::<Owned<Array>>());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
    }
}
