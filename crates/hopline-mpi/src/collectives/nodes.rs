//! Which ranks of a communicator share a node.

use super::adapters::own_rate;
use crate::abi::{Handle, abi};
use crate::real::pmpi;

/// Bytes that a rank tells of itself: a hash of its node's whole name, the rate of its adapter, and as much of the name
/// as fits.
const WORD: usize = 128;
/// Bytes before the name.
const HEAD: usize = 16;

/// The nodes of a communicator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Nodes {
    /// Node of each rank; nodes are numbered by their first rank.
    pub(super) of_rank: Vec<usize>,
    /// The first rank of each node.
    pub(super) leader: Vec<usize>,
    /// Hash of the name of each node.
    pub(super) hash: Vec<u64>,
    /// The names.
    pub(super) name: Vec<String>,
    /// Mb/s of each node's adapter, 0 where it is not known.
    pub(super) rate: Vec<u64>,
}

impl Nodes {
    /// A hash of which rank is on which host.
    pub(super) fn layout(&self) -> u64 {
        let bytes: Vec<u8> = self.of_rank.iter().flat_map(|&node| self.hash[node].to_le_bytes()).collect();
        hash(&bytes)
    }
}

/// What this rank's node is called: `HOPLINE_HOST`, or as MPI calls it.
fn own_name() -> Vec<u8> {
    if let Ok(name) = std::env::var("HOPLINE_HOST") {
        return name.into_bytes();
    }
    let mut text = [0u8; 512];
    let mut length = 0i32;
    pmpi!(PMPI_Get_processor_name(text.as_mut_ptr(), &raw mut length));
    text[..(length.max(0) as usize).min(text.len())].to_vec()
}

/// FNV-1a.
fn hash(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Collective: every rank of `comm` calls it.
pub(super) fn nodes(comm: Handle, size: usize) -> Option<Nodes> {
    let name = own_name();
    let mut mine = [0u8; WORD];
    mine[..8].copy_from_slice(&hash(&name).to_le_bytes());
    mine[8..HEAD].copy_from_slice(&own_rate().to_le_bytes());
    let fits = name.len().min(WORD - HEAD);
    mine[HEAD..HEAD + fits].copy_from_slice(&name[..fits]);
    let mut all = vec![0u8; WORD * size];
    let byte = abi().byte;
    if pmpi!(PMPI_Allgather(mine.as_ptr(), WORD, byte, all.as_mut_ptr(), WORD, byte, comm)) != 0 {
        return None;
    }
    let mut nodes = Nodes::default();
    for (rank, word) in all.chunks_exact(WORD).enumerate() {
        let (hash, word) = word.split_first_chunk::<8>()?;
        let (rate, name) = word.split_first_chunk::<8>()?;
        let hash = u64::from_le_bytes(*hash);
        let node = nodes.hash.iter().position(|&known| known == hash).unwrap_or_else(|| {
            nodes.leader.push(rank);
            nodes.hash.push(hash);
            nodes.rate.push(u64::from_le_bytes(*rate));
            let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
            nodes.name.push(String::from_utf8_lossy(&name[..end]).into_owned());
            nodes.leader.len() - 1
        });
        nodes.of_rank.push(node);
    }
    Some(nodes)
}
