//! Insides of hosts: NCCL's topologies, the list, and both inside networks.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod exports;
mod files;
mod networks;

use hopline::fabric::{Fabric, LinkRates};
use hopline::format::HOST_FORMS;
use hopline::scenario::Scenario;

/// Four GPUs: two with a direct link, two on the same PCIe switch as an adapter, one at another socket.
const XML: &str = r#"<!-- made for this test -->
<system version="1">
  <cpu numaid="0" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:01:00.0" class="0x060400" link_speed="16 GT/s" link_width="16">
      <pci busid="0000:02:00.0" class="0x030200" link_speed="16 GT/s" link_width="16">
        <gpu dev="0" sm="80" rank="1"><nvlink target="00000000:03:00.0" count="4" tclass="0x030200"/></gpu>
      </pci>
      <pci busid="0000:03:00.0" class="0x030200" link_speed="16 GT/s" link_width="16">
        <gpu dev="1" sm="80" rank="0"><nvlink target="0000:02:00.0" count="4" tclass="0x030200"/></gpu>
      </pci>
      <pci busid="0000:04:00.0" class="0x020700" link_speed="16 GT/s" link_width="8">
        <nic><net name="mlx5_0" dev="0" speed="200000" port="1" guid="0x1" maxconn="1" gdr="1"/></nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:81:00.0" class="0x030200" link_speed="8 GT/s" link_width="16"><gpu dev="2" sm="80" rank="2"/></pci>
  </cpu>
</system>
"#;

fn read(text: &str) -> hopline::error::Result<Fabric> {
    let form = HOST_FORMS.iter().find(|form| (form.begins)(text)).expect("a form");
    (form.read)("host.xml", text, LinkRates::Nccl)?.fabric()
}

fn between(f: &Fabric, a: &str, b: &str) -> Vec<(String, f64)> {
    let [a, b] = [a, b].map(|name| f.find(name).unwrap_or_else(|| panic!("{name}")));
    let links = f.out_links(a).filter(|&l| f.target(l) == b);
    links.map(|l| (f.class_of(l).name.clone(), f.class_of(l).bandwidth.unwrap().as_gb_s())).collect()
}

const POD: &str = "fat-tree:pods=1,servers=4,adapters=8,bandwidth=50,host=dgx-h100";

fn scenario(topology: &str, traffic: &str) -> Scenario {
    Scenario::default().topology(topology).unwrap().traffic(traffic).unwrap()
}

/// Two packages of two cores, the second with an adapter below a bridge; threads counted as Linux often does.
const LSTOPO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0">
    <info name="Architecture" value="x86_64"/>
    <object type="Package" os_index="0">
      <info name="CPUVendor" value="GenuineIntel"/><info name="CPUModelNumber" value="143"/>
      <object type="NUMANode" os_index="0"/>
      <object type="Core" os_index="0"><object type="PU" os_index="0"/><object type="PU" os_index="4"/></object>
      <object type="Core" os_index="1"><object type="PU" os_index="2"/><object type="PU" os_index="6"/></object>
    </object>
    <object type="Package" os_index="1">
      <object type="NUMANode" os_index="1"/>
      <object type="Core" os_index="0"><object type="PU" os_index="1"/><object type="PU" os_index="5"/></object>
      <object type="Core" os_index="1"><object type="PU" os_index="3"/><object type="PU" os_index="7"/></object>
      <object type="Bridge" bridge_type="0-1">
        <object type="Bridge" bridge_type="1-1" pci_busid="0000:80:01.0" pci_link_speed="15.753846">
          <object type="PCIDev" pci_busid="0000:81:00.0" pci_type="0207 [15b3:101b] [15b3:0007] 00" pci_link_speed="15.753846">
            <object type="OSDev" name="ib0" osdev_type="2"/><object type="OSDev" name="mlx5_0" osdev_type="3"/>
          </object>
        </object>
      </object>
    </object>
  </object>
</topology>
"#;

const MATRIX: &str = "\t\u{1b}[4mGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u{1b}[0m\n\
    GPU0\t X \tNV4\tSYS\tPXB\tSYS\t0-15\t0\t\tN/A\n\
    GPU1\tNV4\t X \tSYS\tPXB\tSYS\t0-15\t0\t\tN/A\n\
    GPU2\tSYS\tSYS\t X \tSYS\tNODE\t16-31\t1\t\tN/A\n\
    NIC0\tPXB\tPXB\tSYS\t X \tSYS\t\t\t\t\n\
    NIC1\tSYS\tSYS\tNODE\tSYS\t X \t\t\t\t\n\n\
    Legend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_2\n  NIC1: mlx5_3\n";
