//! The PNG file: RGB with 8 bits, and how many pixels a metre has, so that it is printed in its size.

use super::coverage::Canvas;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write as _;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// 8 bits, RGB, deflate, filters by row, not interlaced.
const FORM: [u8; 5] = [8, 2, 0, 0, 0];
/// The filter of a row: differences from the row above.
const UP: u8 = 2;

pub(super) fn png(canvas: &Canvas, per_metre: f64) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_be_bytes();
    chunk(&mut file, b"IHDR", &[&number(canvas.width)[..], &number(canvas.height), &FORM].concat());
    let resolution = number(per_metre.round() as usize);
    chunk(&mut file, b"pHYs", &[&resolution[..], &resolution, &[1]].concat());
    chunk(&mut file, b"IDAT", &deflated(canvas));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn deflated(canvas: &Canvas) -> Vec<u8> {
    let long = 3 * canvas.width;
    let mut above = vec![0; long];
    let mut rows = Vec::with_capacity((long + 1) * canvas.height);
    for row in canvas.pixels.chunks(long.max(1)) {
        rows.push(UP);
        rows.extend(row.iter().zip(&above).map(|(own, above): (&u8, &u8)| own.wrapping_sub(*above)));
        above.copy_from_slice(row);
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Memory takes all that it is given.
    let _ = encoder.write_all(&rows);
    encoder.finish().unwrap_or_default()
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(data);
    file.extend(kind);
    file.extend(data);
    file.extend(sum.sum().to_be_bytes());
}
