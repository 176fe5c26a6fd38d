//! A program as text.

use crate::schedule::msccl::{Block, Gpu, Program, Step};
use std::fmt::Write as _;

/// The XML, an element on each line: RCCL's reader takes no other.
pub(super) fn text(program: &Program) -> String {
    let flag = |is: bool| u8::from(is);
    // Writing to a String cannot fail, here and below.
    let mut text = format!(
        "<algo name=\"{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" inplace=\"{}\" \
         outofplace=\"{}\" minBytes=\"0\" maxBytes=\"0\">\n",
        program.name,
        program.protocol,
        program.channels,
        program.chunks,
        program.gpus.len(),
        program.coll,
        flag(program.in_place),
        flag(program.out_of_place)
    );
    for Gpu { id, sizes: [input, output, scratch], blocks, .. } in &program.gpus {
        let _ = writeln!(text, "  <gpu id=\"{id}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"{scratch}\">");
        for Block { id, send, recv, channel, steps, .. } in blocks {
            let _ = writeln!(text, "    <tb id=\"{id}\" send=\"{send}\" recv=\"{recv}\" chan=\"{channel}\">");
            for Step { id, kind, source, target, count, needs, tells, .. } in steps {
                let _ = writeln!(
                    text,
                    "      <step s=\"{id}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{count}\" \
                     depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>",
                    kind.word(),
                    source.buffer.word(),
                    source.first,
                    target.buffer.word(),
                    target.first,
                    needs.0,
                    needs.1,
                    flag(*tells)
                );
            }
            text.push_str("    </tb>\n");
        }
        text.push_str("  </gpu>\n");
    }
    text.push_str("</algo>\n");
    text
}
