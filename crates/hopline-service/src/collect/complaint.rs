//! What the tools say on stderr when something went wrong.

use hopline::format::messages::is_harmless;

/// The first complaint in what a tool said on stderr, or among its output. What
/// is known to be harmless is no complaint; everything else on stderr is one,
/// because `dump_fts` ends with status 0 whatever it has lost.
pub fn complaint<'a>(stdout: &'a str, stderr: &'a str) -> Option<&'a str> {
    let harmless = |line: &&str| line.is_empty() || line.starts_with('#') || is_harmless(line);
    let said = stderr.lines().map(str::trim).find(|line| !harmless(line));
    // Behind `2>&1` complaints stand among the output.
    const WORDS: [&str; 4] = ["iberror", "ibwarn", "ibpanic", "SubnGet("];
    said.or_else(|| {
        let faulty = |line: &&str| WORDS.iter().any(|w| line.contains(w)) && !harmless(line);
        stdout.lines().find(faulty)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_blocks_are_heard_and_greetings_are_not() {
        let greeting = "ibwarn: [2409] sim_connect: attached as client 1 at node \"S-0002c90200400028\"\n";
        assert_eq!(complaint("0x0001 003\n", greeting), None);
        let lost = "ibwarn: [9] mad_rpc: _do_madrpc failed; dport (DR path slid 65535; dlid 65535; 0,1)\n";
        assert_eq!(complaint("", &format!("{greeting}{lost}")), Some(lost.trim()));
        let block = "./src/dump_fts.c:221; SubnGet(LFT) failed on switch 'leaf' DR path slid 0; dlid 0; 0,1";
        assert_eq!(complaint("", block), Some(block));
        assert_eq!(
            complaint("0x0001 003\nibroute: iberror: failed: late\n", ""),
            Some("ibroute: iberror: failed: late")
        );
    }
}
