//! A call and its arguments, by their names in the MPI standard and in any language.

use crate::abi::{Class, Handle, Lang, abi, comm_to_fortran, type_size};
use crate::function::{At, Completion, Function, FunctionKind, NOWHERE};

/// A call and its arguments.
pub(crate) struct Call<'a> {
    pub(crate) function: &'static Function,
    pub(crate) lang: Lang,
    pub(crate) words: &'a [usize],
}

impl Call<'_> {
    pub(crate) fn kind(&self) -> FunctionKind {
        self.function.kind
    }

    pub(crate) fn completion(&self) -> Completion {
        self.function.completion
    }

    fn at(&self) -> &At {
        &self.function.at
    }

    /// The argument at a place; functions without it get 0, which no caller asks for.
    fn word(&self, place: u8) -> usize {
        self.words.get(usize::from(place)).copied().unwrap_or(0)
    }

    fn has(&self, place: u8) -> bool {
        usize::from(place) < self.words.len()
    }

    fn int(&self, place: u8) -> i32 {
        if self.has(place) { self.lang.int(self.word(place)) } else { -1 }
    }

    fn handle(&self, class: Class, place: u8) -> Handle {
        self.lang.handle(class, self.word(place))
    }

    fn count(&self, place: u8) -> u64 {
        if self.has(place) { self.lang.count(self.word(place)) } else { 1 }
    }

    /// The error code of a call that answered `code`: Fortran's is an argument.
    pub(crate) fn code(&self, code: i32) -> i32 {
        match (self.lang.is_fortran(), self.words.last()) {
            (true, Some(&0)) | (true, None) => 0,
            // SAFETY: the library has just written it.
            (true, Some(&error)) => unsafe { *(error as *const i32) },
            _ => code,
        }
    }

    /// Answers in the library's place.
    pub(crate) fn answer(&self, code: i32) -> i32 {
        if let (true, Some(&error)) = (self.lang.is_fortran(), self.words.last())
            && error != 0
        {
            // SAFETY: the program's own integer.
            unsafe { *(error as *mut i32) = code };
        }
        code
    }

    pub(crate) fn comm(&self) -> Handle {
        self.handle(Class::Comm, self.at().comm)
    }

    /// The communicator that an argument points to: a new one, or one to be freed.
    pub(crate) fn comm_behind_pointer(&self) -> Handle {
        let place = if self.has(self.at().newcomm) { self.at().newcomm } else { self.at().comm };
        self.lang.handle_at(Class::Comm, self.word(place), 0)
    }

    /// True for `MPI_COMM_NULL`, which members left out of a new communicator get.
    pub(crate) fn is_no_comm(&self, comm: Handle) -> bool {
        comm == abi().comm_null
    }

    /// The session that a call begins or ends; `None` where it is about `MPI_COMM_WORLD`.
    pub(crate) fn session(&self) -> Option<Handle> {
        let place = self.at().session;
        self.has(place).then(|| self.lang.handle_at(Class::Session, self.word(place), 0))
    }

    pub(crate) fn window(&self) -> Handle {
        self.handle(Class::Window, self.at().win)
    }

    pub(crate) fn window_behind_pointer(&self) -> Handle {
        self.lang.handle_at(Class::Window, self.word(self.at().win), 0)
    }

    pub(crate) fn buffer(&self) -> usize {
        abi().address(self.word(self.at().buffer))
    }

    pub(crate) fn send_buffer(&self) -> usize {
        abi().address(self.word(self.at().sendbuf))
    }

    pub(crate) fn recv_buffer(&self) -> usize {
        abi().address(self.word(self.at().recvbuf))
    }

    pub(crate) fn send_count(&self) -> u64 {
        self.count(self.at().sendcount)
    }

    pub(crate) fn recv_count(&self) -> u64 {
        self.count(self.at().recvcount)
    }

    pub(crate) fn send_type(&self) -> Handle {
        self.handle(Class::Datatype, self.at().sendtype)
    }

    pub(crate) fn recv_type(&self) -> Handle {
        self.handle(Class::Datatype, self.at().recvtype)
    }

    pub(crate) fn op(&self) -> Handle {
        self.handle(Class::Op, self.at().op)
    }

    pub(crate) fn datatype(&self) -> Handle {
        self.handle(Class::Datatype, self.at().datatype)
    }

    pub(crate) fn info(&self) -> Handle {
        self.handle(Class::Info, self.at().info)
    }

    pub(crate) fn has_root(&self) -> bool {
        self.has(self.at().root)
    }

    /// The request of a call that the library has begun by another name.
    pub(crate) fn set_request(&self, request: Handle) {
        self.lang.set_request(self.word(self.at().request), request);
    }

    /// `count` as it was given.
    pub(crate) fn elements(&self) -> u64 {
        self.count(self.at().count)
    }

    /// Number `i` of the requests.
    pub(crate) fn request(&self, i: usize) -> Handle {
        let place = if self.has(self.at().requests) { self.at().requests } else { self.at().request };
        self.lang.handle_at(Class::Request, self.word(place), i)
    }

    pub(crate) fn count_of_requests(&self) -> usize {
        self.elements() as usize
    }

    /// What a test answered.
    pub(crate) fn flag(&self) -> bool {
        // SAFETY: the library has just written it.
        unsafe { *(self.word(self.at().flag) as *const i32) != 0 }
    }

    /// The request that is done, from 0; none where the library answered `MPI_UNDEFINED`.
    pub(crate) fn index(&self) -> Option<usize> {
        // SAFETY: the library has just written it.
        self.zero_based(unsafe { *(self.word(self.at().index) as *const i32) })
    }

    /// The requests that are done, from 0.
    pub(crate) fn indices(&self) -> Vec<usize> {
        let at = self.at();
        // SAFETY: the library has just written it.
        let count = unsafe { *(self.word(at.outcount) as *const i32) };
        // SAFETY: the library has just written so many.
        let index = |i: i32| unsafe { *(self.word(at.indices) as *const i32).add(i as usize) };
        (0..count.max(0)).filter_map(|i| self.zero_based(index(i))).collect()
    }

    /// Fortran counts from 1.
    fn zero_based(&self, index: i32) -> Option<usize> {
        usize::try_from(index - i32::from(self.lang.is_fortran())).ok()
    }

    pub(crate) fn dest(&self) -> i32 {
        self.int(self.at().dest)
    }

    pub(crate) fn source(&self) -> i32 {
        self.int(self.at().source)
    }

    pub(crate) fn root(&self) -> i32 {
        self.int(self.at().root)
    }

    pub(crate) fn target(&self) -> i32 {
        self.int(self.at().target)
    }

    pub(crate) fn send_tag(&self) -> i32 {
        self.int(if self.has(self.at().sendtag) { self.at().sendtag } else { self.at().tag })
    }

    pub(crate) fn recv_tag(&self) -> i32 {
        self.int(if self.has(self.at().recvtag) { self.at().recvtag } else { self.at().tag })
    }

    /// Bytes of `count` elements of `datatype`; a one-sided call's origin is asked for where it has one.
    pub(crate) fn bytes(&self) -> u64 {
        let at = self.at();
        if self.has(at.origin_datatype) {
            return self.count(at.origin_count) * type_size(self.handle(Class::Datatype, at.origin_datatype));
        }
        if self.has(at.partitions) {
            return self.partitioned();
        }
        self.block(at.count, at.datatype)
    }

    /// Bytes of all partitions.
    #[cold]
    fn partitioned(&self) -> u64 {
        let at = self.at();
        let each = self.lang.long_count(self.word(at.partition_count));
        self.count(at.partitions) * each * type_size(self.handle(Class::Datatype, at.datatype))
    }

    fn block(&self, count: u8, datatype: u8) -> u64 {
        self.count(count) * type_size(self.handle(Class::Datatype, datatype))
    }

    /// Bytes that a send or the sending half of both sends.
    pub(crate) fn sent_bytes(&self) -> u64 {
        if self.has(self.at().sendcount) { self.send_block() } else { self.bytes() }
    }

    /// Bytes that a receive has room for.
    pub(crate) fn received_bytes(&self) -> u64 {
        if self.has(self.at().recvcount) { self.recv_block() } else { self.bytes() }
    }

    pub(crate) fn send_block(&self) -> u64 {
        self.block(self.at().sendcount, self.at().sendtype)
    }

    /// Bytes of what is received from one rank; `MPI_Reduce_scatter_block` has one datatype for all.
    pub(crate) fn recv_block(&self) -> u64 {
        let at = self.at();
        self.block(at.recvcount, if self.has(at.recvtype) { at.recvtype } else { at.datatype })
    }

    pub(crate) fn send_blocks(&self, size: usize) -> Vec<u64> {
        let at = self.at();
        self.blocks(size, at.sendcounts, at.sendtype, at.sendtypes)
    }

    pub(crate) fn recv_blocks(&self, size: usize) -> Vec<u64> {
        let at = self.at();
        self.blocks(size, at.recvcounts, at.recvtype, at.recvtypes)
    }

    /// Blocks of `MPI_Reduce_scatter`.
    pub(crate) fn reduce_blocks(&self, size: usize) -> Vec<u64> {
        self.blocks(size, self.at().recvcounts, self.at().datatype, NOWHERE)
    }

    fn blocks(&self, size: usize, counts: u8, datatype: u8, datatypes: u8) -> Vec<u64> {
        let counts = self.word(counts);
        if counts == 0 {
            return vec![0; size];
        }
        if self.has(datatypes) {
            let datatypes = self.word(datatypes);
            let bytes = |i| match self.lang.count_at(counts, i) {
                0 => 0,
                count => count * type_size(self.lang.handle_at(Class::Datatype, datatypes, i)),
            };
            return (0..size).map(bytes).collect();
        }
        let element = type_size(self.handle(Class::Datatype, datatype));
        (0..size).map(|i| self.lang.count_at(counts, i) * element).collect()
    }

    pub(crate) fn is_send_in_place(&self) -> bool {
        self.has(self.at().sendbuf) && abi().is_in_place(self.word(self.at().sendbuf))
    }

    pub(crate) fn is_recv_in_place(&self) -> bool {
        self.has(self.at().recvbuf) && abi().is_in_place(self.word(self.at().recvbuf))
    }

    /// The same call of another communicator, whose first rank is the root.
    pub(crate) fn with_comm<T>(&self, comm: Handle, run: impl FnOnce(&[usize]) -> T) -> T {
        let mut words = self.words.to_vec();
        // Fortran's arguments are addresses.
        let integers = [comm_to_fortran(comm), 0];
        let is_fortran = self.lang.is_fortran();
        words[usize::from(self.at().comm)] = if is_fortran { &raw const integers[0] as usize } else { comm };
        if self.has_root() {
            words[usize::from(self.at().root)] = if is_fortran { &raw const integers[1] as usize } else { 0 };
        }
        run(&words)
    }
}
