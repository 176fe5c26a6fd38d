//! Where a long simulation keeps what it has.

use super::FlitsPoint;
use crate::error::{Error, Place, Result};
use crate::flits::{head, open, seal};
use crate::peers::{Peers, agree, broadcast};

/// Where a long run keeps what it has, so that it can be killed and go on.
pub trait Keep {
    /// What was kept before, if anything; of what does not begin with `head` the
    /// beginning is enough.
    ///
    /// # Errors
    /// It cannot be read, or nothing could be kept there.
    fn load(&mut self, head: &[u8]) -> Result<Option<Vec<u8>>>;

    /// What errors name as the place.
    fn place(&self) -> Option<Place> {
        None
    }

    /// Whether it is time to keep the state.
    fn is_due(&mut self) -> bool;

    /// Keeps the state in place of what was kept before.
    ///
    /// # Errors
    /// It cannot be written.
    fn save(&mut self, state: &[u8]) -> Result<()>;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forget;

impl Keep for Forget {
    fn load(&mut self, _: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn is_due(&mut self) -> bool {
        false
    }

    fn save(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// What is kept of a run: points that are done, and the state of the next.
pub(super) struct Run<'a> {
    /// What tells it from other runs.
    name: String,
    pub(super) keep: &'a mut dyn Keep,
    pub(super) points: Vec<FlitsPoint>,
    pub(super) state: Option<Vec<u8>>,
}

impl<'a> Run<'a> {
    /// Of several processes the first one knows what was kept, and tells the points that are done.
    pub(super) fn resume(name: String, keep: &'a mut dyn Keep, peers: &dyn Peers) -> Result<Run<'a>> {
        let kept = if peers.rank() == 0 { Run::kept(&name, keep) } else { Ok((Vec::new(), None)) };
        let mut run = Run { name, keep, points: Vec::new(), state: None };
        let (done, state) = agree(peers, kept.map_err(|e| run.at(e)))?;
        let done = broadcast(peers, done)?;
        let damaged = |e: serde_json::Error| Error::input(format!("the checkpoint cannot be read: {e}")).caused_by(e);
        if !done.is_empty() {
            run.points = serde_json::from_slice(&done).map_err(|e| run.at(damaged(e)))?;
        }
        run.state = state;
        Ok(run)
    }

    /// An error in what was kept.
    pub(super) fn at(&self, error: Error) -> Error {
        match self.keep.place() {
            Some(place) if error.is_input() => error.at(&place),
            _ => error,
        }
    }

    /// The points that are done, as JSON, and the state of the next.
    fn kept(name: &str, keep: &mut dyn Keep) -> Result<(Vec<u8>, Option<Vec<u8>>)> {
        if let Some(bytes) = keep.load(&head(name))?
            && let [done, next] = open(name, &bytes)?[..]
        {
            return Ok((done.to_vec(), Some(next.to_vec())));
        }
        Ok((Vec::new(), None))
    }

    pub(super) fn save(&mut self, state: &[u8]) -> Result<()> {
        let done = serde_json::to_vec(&self.points)
            .map_err(|e| Error::failed(format!("cannot write JSON: {e}")).caused_by(e))?;
        self.keep.save(&seal(&self.name, &[&done, state]))
    }
}
