//! What is known of an MPI function before it is called: what it is to this layer,
//! and where the arguments that matter stand.

/// What a function is to this layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    Init,
    Finalize,
    Abort,
    Send,
    Recv,
    MatchedRecv,
    Sendrecv,
    Start,
    Startall,
    Wait,
    Waitall,
    Waitany,
    Waitsome,
    Test,
    Testall,
    Testany,
    RequestFree,
    Cancel,
    NewComm,
    FreeComm,
    FreeWindow,
    OneSided(&'static str),
    Coll(&'static str),
    /// Moves data that the recorder cannot follow: that it was called is said.
    NotCounted,
}

/// How a call ends: when all is done, with a request, or with a request to be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    Blocking,
    Request,
    Persistent,
}

/// A row of the table.
pub(crate) struct Function {
    /// Without `MPI_`.
    pub(crate) name: &'static str,
    pub(crate) kind: FunctionKind,
    pub(crate) completion: Completion,
    pub(crate) at: At,
}

impl Function {
    /// From the name and the names of the arguments.
    pub(crate) const fn new(name: &'static str, kind: FunctionKind, names: &[&str]) -> Function {
        let at = At::of(names);
        let bytes = name.as_bytes();
        let n = bytes.len();
        let init =
            n > 5 && bytes[n - 1] == b't' && bytes[n - 2] == b'i' && bytes[n - 3] == b'n' && bytes[n - 5] == b'_';
        let completion = match (init, at.request) {
            (true, _) => Completion::Persistent,
            (false, NOWHERE) => Completion::Blocking,
            (false, _) => Completion::Request,
        };
        Function { name, kind, completion, at }
    }
}

/// A function has no such argument.
pub(crate) const NOWHERE: u8 = u8::MAX;

/// Defines `At`: where the arguments that matter stand among those of a function, by their names in the standard.
macro_rules! places {
    ($($name:ident)*) => {
        #[derive(Debug)]
        pub(crate) struct At { $(pub(crate) $name: u8,)* }

        impl At {
            /// Finds the names that matter.
            pub(crate) const fn of(names: &[&str]) -> At {
                At { $($name: place(names, stringify!($name)),)* }
            }
        }
    };
}

places! {
    buffer sendbuf count datatype dest source tag comm request flag index indices outcount requests
    sendtag recvtag sendcount recvcount sendtype recvtype sendcounts recvcounts sendtypes recvtypes root
    newcomm info win target origin_count origin_datatype recvbuf op session partitions partition_count
}

const fn place(names: &[&str], name: &str) -> u8 {
    let mut i = 0;
    while i < names.len() {
        if same(names[i].as_bytes(), name.as_bytes()) {
            return i as u8;
        }
        i += 1;
    }
    NOWHERE
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
