//! The binary cache, with a right checksum so that its contents are read; what is
//! accepted can be walked.
#![no_main]

use hopline_service::atlas::{Atlas, Column};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

fuzz_target!(|data: &[u8]| {
    let mut bytes = b"HOPATLAS\x01\0\0\0".to_vec();
    bytes.extend_from_slice(&Sha256::digest(data));
    bytes.extend_from_slice(data);
    let Ok(atlas) = Atlas::from_bytes(&bytes) else { return };
    let vertices = (atlas.vertices().len() as u32).min(6);
    let mut column = Column::new(&atlas);
    for target in 0..vertices {
        let lid = atlas.vertices()[target as usize].lid;
        column.clear();
        for source in 0..vertices {
            let walked = atlas.walk(source, target, lid, |_| ()).is_ok();
            let reached = column.reach(&atlas, source, target, lid).is_some();
            assert!(walked == reached || source == target);
        }
    }
    atlas.verify();
});
