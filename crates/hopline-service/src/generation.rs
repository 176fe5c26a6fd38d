//! [`Generation`]: one state of the fabric, ready to answer from.

use crate::atlas::Atlas;
use crate::lost::Lost;
use crate::names::{Names, guid};
use crate::protocol::quoted;

/// An atlas with its number, its names and the words that answers are made of.
#[derive(Debug, Clone)]
pub struct Generation {
    /// Counts up with every change of the fabric; 0 for plain dumps.
    pub number: u64,
    /// When it was collected, UTC; empty for plain dumps.
    pub collected: String,
    /// What earlier generations had and this one has not.
    pub lost: Lost,
    /// All routes.
    pub atlas: Atlas,
    /// All names.
    pub names: Names,
    labels: Vec<u8>,
    /// Label of vertex v is `labels[label_at[v]..label_at[v + 1]]`.
    label_at: Vec<u32>,
}

impl Generation {
    /// Prepares an atlas. O(vertices log vertices).
    pub fn new(number: u64, collected: String, atlas: Atlas) -> Generation {
        let names = Names::new(&atlas);
        let (mut labels, mut label_at) = (Vec::new(), vec![0]);
        for v in 0..atlas.vertices().len() as u32 {
            labels.extend_from_slice(quoted(&names.shortest(&atlas, v)).as_bytes());
            label_at.push(labels.len() as u32);
        }
        Generation { number, collected, lost: Lost::default(), atlas, names, labels, label_at }
    }

    /// What a vertex is called in answers, quoted where it must be: a switch by
    /// its GUID, an endpoint by its shortest name.
    #[inline]
    pub fn label(&self, v: u32) -> &[u8] {
        &self.labels[self.label_at[v as usize] as usize..self.label_at[v as usize + 1] as usize]
    }

    /// The same without quotes.
    pub fn name(&self, v: u32) -> String {
        self.names.shortest(&self.atlas, v)
    }

    /// The GUID of a switch, or of an endpoint's port.
    pub fn guid(&self, v: u32) -> String {
        let vertex = &self.atlas.vertices()[v as usize];
        guid(if self.atlas.is_endpoint(v) { vertex.port_guid } else { vertex.node_guid })
    }
}
