//! Cables of an InfiniBand fabric switched off and on as its administrator would:
//! a shell script of `ibportstate` calls (infiniband-diags).

use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::fabric::metrics::{hops_to_any, parts};
use crate::id::{LinkId, VertexId};
use std::fmt::Write as _;

/// What is done to cables, either direction of each.
#[derive(Debug, Clone, Copy, Default)]
pub struct Switched<'a> {
    /// They go off.
    pub off: &'a [LinkId],
    /// They stay on with one lane.
    pub narrow: &'a [LinkId],
}

/// The script: `sh FILE off` and `sh FILE on`. Cables far from all endpoints go off first and come on last, so that the
/// switch that is told is always within reach, and nothing but a switch that is meant to be dark is ever cut off; lanes are
/// changed while all cables are on, as a cable is down for a moment then. `of` says for what it is. O(links) for every cable
/// that gets narrow, else O(links log links).
///
/// # Errors
/// Endpoints that cables join would be apart, or a switch has no GUID.
pub fn ibportstate(fabric: &Fabric, cables: Switched<'_>, of: &str) -> Result<String> {
    let off = in_order(fabric, cables.off)?;
    let narrow = cables.narrow.iter().copied().filter(|&l| lanes(fabric, l).is_some() && !is_bridge(fabric, l));
    let narrow: Vec<LinkId> = narrow.map(|l| switch_end(fabric, l)).collect();
    let mut text = HEAD.replace("OF", &one_line(of)).replace("MANY", &off.len().to_string());
    let _ = writeln!(text, "# {} cables keep one lane.\n\nnarrow() {{", narrow.len());
    steps(&mut text, fabric, &narrow, "lanes", |_| "1")?;
    text += "}\n\noff() {\n";
    steps(&mut text, fabric, &off, "port", |_| "disable")?;
    text += "}\n\non() {\n";
    steps(&mut text, fabric, &off.iter().rev().copied().collect::<Vec<_>>(), "port", |_| "enable")?;
    text += "}\n\nwide() {\n";
    steps(&mut text, fabric, &narrow, "lanes", |l| lanes(fabric, l).unwrap_or("1"))?;
    Ok(text + TAIL)
}

const HEAD: &str = r#"#!/bin/sh
# Written by hopline power: OF
# sh FILE off   switches MANY cables off, one after the other
# sh FILE on    switches them on again, in the other order
# Run it where ibportstate runs, as root. After each cable it waits until the switch answers again, by routes around the
# cable: until the subnet manager has found them, packets that were on their way are lost. A job that is running should
# stand this; better is to switch before it starts.
# IBPORTSTATE and SMPQUERY name other programs, such as "ibportstate -C mlx5_0" and "smpquery -C mlx5_0".
set -u

# again WORDS...: until they succeed, a second apart.
again() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    if [ "$tries" -ge "${TRIES:-60}" ]; then
      echo "$0: $*: stopped, cables before it are done" >&2
      exit 1
    fi
    sleep 1
  done
}

# says GUID NUMBER WORD: what a port says of itself; nothing where a packet was lost.
says() {
  ${SMPQUERY:-smpquery} -G portinfo "$1" "$2" 2>/dev/null | sed -n "s/^$3:\.*//p" | head -n 1
}

does() {
  case "$3,$(says "$1" "$2" PhysLinkState)" in *,) false ;; enable,LinkUp) ;; enable,* | disable,LinkUp) false ;; esac
}

# port GUID NUMBER disable|enable: the answer may have to cross the cable itself, so what counts is the state after it.
port() {
  ${IBPORTSTATE:-ibportstate} -G "$1" "$2" "$3" >/dev/null 2>&1
  again does "$1" "$2" "$3"
}

# is GUID NUMBER WIDTH Enabled|Active: whether a port's lanes are those asked for.
is() {
  case "$3,$(says "$1" "$2" "LinkWidth$4")" in *,) false ;; 1,1X) ;; 1,* | *,1X) false ;; esac
}

# A lost packet is no error of ibportstate: what counts is what the port says after it.
takes_width() {
  ${IBPORTSTATE:-ibportstate} -G "$1" "$2" width "$3" >/dev/null 2>&1
  is "$1" "$2" "$3" Enabled
}

# The link is negotiated again. A sweep of the subnet manager that began before may write the old width over the new one.
negotiates() {
  again takes_width "$1" "$2" "$3"
  port "$1" "$2" disable
  port "$1" "$2" enable
  for try in 1 2 3; do
    is "$1" "$2" "$3" Active && return
  done
  false
}

# lanes GUID NUMBER WIDTH: LinkWidthEnabled (1 is 1X, 3 is 1X or 4X).
lanes() {
  for time in 1 2 3; do
    negotiates "$@" && return
  done
  echo "$0: $1 port $2: its link has $(says "$1" "$2" LinkWidthActive) lanes after three tries" >&2
}
"#;

const TAIL: &str = r#"}

case "${1-}" in
off) narrow && off ;;
on) on && wide ;;
*) echo "usage: $0 off|on" >&2 && exit 2 ;;
esac
"#;

/// Widths to enable for as many lanes as a cable has, as the standard numbers them (1X is 1, 4X 2, 8X 4, 12X 8), from the
/// name of its class; `None` where it has one lane or its class does not tell.
fn lanes(fabric: &Fabric, link: LinkId) -> Option<&'static str> {
    let class = &fabric.class_of(link).name;
    let widths = [("4x", "3"), ("8x", "7"), ("12x", "11")];
    widths.iter().find(|(lanes, _)| class.starts_with(lanes)).map(|(_, all)| *all)
}

fn steps(
    text: &mut String,
    fabric: &Fabric,
    ends: &[LinkId],
    verb: &str,
    word: impl Fn(LinkId) -> &'static str,
) -> Result<()> {
    text.push_str("  :\n");
    for &end in ends {
        let switch = fabric.source(end);
        let guid = fabric.guid(switch).filter(|_| !fabric.is_endpoint(switch)).ok_or_else(|| {
            Error::input(format!(
                "`{}` has no GUID: {} is no InfiniBand fabric",
                fabric.vertex_name(switch),
                fabric.name()
            ))
            .hint("ibportstate is for fabrics that were read from ibnetdiscover")
        })?;
        let _ =
            writeln!(text, "  {verb} {guid} {} {} # {}", fabric.port(end), word(end), one_line(&fabric.link_name(end)));
    }
    Ok(())
}

/// A name in a comment: it must not end the line.
fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ")
}

/// The direction of a cable that leaves a switch.
fn switch_end(fabric: &Fabric, link: LinkId) -> LinkId {
    if fabric.is_endpoint(fabric.source(link)) { fabric.reverse(link) } else { link }
}

/// Cables in the order in which they go off: each as the direction that leaves the end that stays within reach.
fn in_order(fabric: &Fabric, off: &[LinkId]) -> Result<Vec<LinkId>> {
    let mut dark = vec![false; fabric.links()];
    for &l in off {
        dark[l.index()] = true;
        dark[fabric.reverse(l).index()] = true;
    }
    let whole = parts(fabric, |_| true);
    let left = parts(fabric, |l| !dark[l.index()]);
    let mut part_of = vec![None; fabric.vertices() as usize];
    for v in 0..fabric.endpoints() {
        let expected = *part_of[whole[v as usize] as usize].get_or_insert(left[v as usize]);
        if expected != left[v as usize] {
            let name = fabric.vertex_name(VertexId(v));
            return Err(Error::input(format!("`{name}` would be cut off from other hosts"))
                .hint("keep enough cables on to reach every host"));
        }
    }
    let lit = (0..fabric.vertices()).map(VertexId).filter(|v| part_of.contains(&Some(left[v.index()])));
    let far = hops_to_any(fabric, lit);
    let mut ends: Vec<LinkId> = off.to_vec();
    for l in &mut ends {
        let (here, there) = (far[fabric.source(*l).index()], far[fabric.target(*l).index()]);
        if there < here {
            *l = fabric.reverse(*l);
        }
    }
    ends.sort_by_key(|&l| (std::cmp::Reverse(far[fabric.source(l).index()]), l));
    Ok(ends)
}

/// Whether nothing else joins the two ends of a cable.
fn is_bridge(fabric: &Fabric, link: LinkId) -> bool {
    let part = parts(fabric, |l| l != link && l != fabric.reverse(link));
    part[fabric.source(link).index()] != part[fabric.target(link).index()]
}
