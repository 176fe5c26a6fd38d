//! Training jobs by formula against what a generator wrote, sums by hand, and each other.

mod common;

use common::{data, fabric};
use hopline::error::Place;
use hopline::files::{Disk, read_text};
use hopline::params::Params;
use hopline::schedule;
use hopline::traffic::{self, Context, Traffic};
use hopline::training::{Job, MODELS, Model, Part, Rules, Step};
use std::collections::BTreeMap;

fn traffic(spec: &str) -> Result<Traffic, String> {
    let (_, fabric) = fabric("full-mesh:n=2");
    let context = Context { fabric: &fabric, slots: 2, files: &Disk };
    let params = Params::from_spec(spec, &Place::new("test", 0)).expect("spec");
    traffic::build(&params, &context).map_err(|e| e.to_string())
}

/// Bytes of a step by part, from the notes: they are what people read.
fn moved(spec: &str) -> BTreeMap<String, u128> {
    let notes = traffic(spec).unwrap_or_else(|e| panic!("{spec}: {e}")).notes;
    let of = |note: &String| {
        let (part, rest) = note.split_once(": ")?;
        let bytes = rest.split_once(" a step (")?.1.split_once(" bytes)")?.0;
        Some((part.to_string(), bytes.parse().ok()?))
    };
    notes.iter().filter_map(of).collect()
}

/// Rows of a table with a header.
fn table(path: &str) -> Vec<BTreeMap<String, String>> {
    let text = read_text(&Disk, path).expect(path);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    lines.map(|line| names.iter().map(|n| n.to_string()).zip(line.split(',').map(str::to_string)).collect()).collect()
}

/// A row of configs.csv as a spec.
fn spec_of(row: &BTreeMap<String, String>, rules: &str) -> String {
    let n = |key: &str| row[key].parse::<f64>().expect(key);
    let heads = n("hidden") / 128.0;
    let mut spec = format!(
        "workload:hidden={},layers={},heads={heads},kv_heads={},ffn={},gated={},vocab={},tied={},tp={},pp={},dp={},ep={},\
         micro={},global={},seq={},sp={},rules={rules}",
        row["hidden"],
        row["layers"],
        heads * n("kv_share_of_heads"),
        row["ffn"],
        row["gated"],
        row["vocab"],
        row["tied_embeddings"],
        row["tp"],
        row["pp"],
        row["dp"],
        row["ep"],
        row["micro_batch"],
        row["global_batch"],
        row["seq"],
        row["sequence_parallel"],
    );
    if n("experts") > 0.0 {
        spec.push_str(&format!(",experts={},topk={}", row["experts"], row["topk"]));
    }
    spec
}

#[test]
fn totals_are_those_of_the_generator_and_of_megatron_to_the_byte() {
    let (Some(totals), Some(configs)) = (data("training/totals.csv"), data("training/configs.csv")) else { return };
    let configs: BTreeMap<String, BTreeMap<String, String>> =
        table(&configs).into_iter().map(|row| (row["config"].clone(), row)).collect();
    let mut compared = 0;
    for row in table(&totals) {
        for (rules, column) in
            [("aicb", "file_bytes"), ("aicb", "aicb_rule_bytes"), ("megatron", "megatron_rule_bytes")]
        {
            let spec = spec_of(&configs[&row["config"]], rules);
            let expected: u128 = row[column].parse().expect("a number");
            let found = moved(&spec).get(&row["group"]).copied().unwrap_or(0);
            assert_eq!(found, expected, "{} {} by {rules}: {spec}", row["config"], row["group"]);
            compared += 1;
        }
    }
    assert!(compared >= 3 * 20, "{compared}");
}

/// The file that a row describes, read as a file, is the demand of its rules pair by pair.
#[test]
fn pairs_are_those_of_the_generated_files() {
    let Some(configs) = data("training/configs.csv") else { return };
    for row in table(&configs).iter().filter(|row| row["all_gpus"].parse::<u32>().is_ok_and(|n| n <= 256)) {
        let Some(file) = data(&format!("training/workloads/{}.txt.xz", row["config"])) else { return };
        let pairs = |spec: &str| {
            let mut pairs: BTreeMap<(u32, u32), f64> = BTreeMap::new();
            let demand = traffic(spec).unwrap_or_else(|e| panic!("{spec}: {e}")).demand;
            demand.each_pair(|from, to, bytes| *pairs.entry((from, to)).or_default() += bytes);
            pairs
        };
        let (ours, theirs) = (pairs(&spec_of(row, "aicb")), pairs(&format!("workload:file={file}")));
        assert!(ours.keys().eq(theirs.keys()), "{}", row["config"]);
        assert!(ours.iter().all(|(pair, bytes)| (bytes - theirs[pair]).abs() <= 1e-9 * bytes), "{}", row["config"]);
    }
}

#[test]
fn differences_between_the_rules_are_named() {
    let job = "workload:model=gpt-13b,tp=8,pp=2,dp=8,global=128";
    let notes = traffic(&format!("{job},rules=aicb")).expect("a step").notes;
    let tp = notes.iter().find(|n| n.starts_with("tp: 4.89 TB by AICB's rules, 7.61 TB by Megatron's: ")).expect("tp");
    for reason in ["4 of 10", "2*vocab*hidden", "the loss once a step"] {
        assert!(tp.contains(reason), "{tp}");
    }
    assert!(notes.iter().any(|n| n.starts_with("emb: 0 B by AICB's rules, 16.8 GB by Megatron's")), "{notes:?}");
    // What this model has is not told as a difference; what another has, is.
    let dp = notes.iter().find(|n| n.starts_with("dp: ") && n.contains("by AICB's")).expect("dp");
    assert!(
        !dp.contains("grouped queries") && !dp.contains("two matrices") && dp.contains("norms without a bias"),
        "{dp}"
    );
    let megatron = traffic(job).expect("a step").notes;
    assert_eq!(megatron[0], "tp: 7.61 TB a step (7610189217792 bytes) in 16 groups of 8 ranks");
    assert!(megatron.iter().all(|n| !n.contains("AICB")), "{megatron:?}");
}

fn job(model: &str) -> Job {
    let mut job = Job::new(Model::named(model).expect(model));
    (job.sizes.tensor, job.sizes.expert_tensor, job.sizes.data) = (2, 2, 4);
    job.global = 8;
    job
}

fn step(job: &Job) -> Step {
    job.step().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn sharing_weights_costs_half_as_much_again() {
    let with = |zero: u32| {
        let mut job = job("llama3-8b");
        (job.zero, job.grads, job.global) = (zero, 2, 4);
        step(&job).bytes(Part::Data)
    };
    // An all-reduce is a reduce-scatter and an all-gather; with shared weights they are gathered twice.
    assert_eq!((with(1), with(2)), (with(0), with(0)));
    assert_eq!(2 * with(3), 3 * with(0));
    let mut job = job("llama3-8b");
    (job.zero, job.global) = (3, 4);
    let whole = step(&job).bytes(Part::Data);
    job.shards = Some(2);
    // Two shards of 4 replicas: half of each sum instead of three quarters, and an all-reduce of a half between two.
    let parameters = whole / 3 / 8 / 2;
    assert_eq!(step(&job).bytes(Part::Data), 8 * (parameters * 8 / 2 + 4 * parameters / 2));
    let mut two = job.clone();
    two.global = 8;
    assert_eq!(step(&two).bytes(Part::Data) - step(&job).bytes(Part::Data), 8 * 4 * parameters / 2);
    two.reduce_each = true;
    assert_eq!(step(&two).bytes(Part::Data), 2 * step(&job).bytes(Part::Data));
}

#[test]
fn context_parallel_ranks_pass_keys_and_values() {
    let mut job = job("llama3-8b");
    (job.sizes.data, job.sizes.context, job.global) = (1, 4, 1);
    // 32 layers; keys and values of 2048 tokens, 4 of 8 heads of 128 numbers each; 8 ranks.
    let keys: u128 = 2 * 2048 * 2 * 4 * 128;
    assert_eq!(step(&job).bytes(Part::Context), 8 * 32 * (3 + 7) * keys);
    job.recompute = hopline::training::Recompute::Selective;
    assert_eq!(step(&job).bytes(Part::Context), 8 * 32 * (3 + 7 + 3) * keys);
    job.exchange = hopline::training::Exchange::AllGather;
    assert_eq!(step(&job).bytes(Part::Context), 8 * 32 * 3 * 3 * keys);
    (job.exchange, job.recompute) = (hopline::training::Exchange::AllToAll, hopline::training::Recompute::None);
    let queries: u128 = 2 * 2048 * 4096 / 2;
    assert_eq!(step(&job).bytes(Part::Context), 2 * 8 * 32 * (2 * queries + keys) * 3 / 4);
    // Replicas are those of the context as well.
    let gradients: Vec<_> = traffic("workload:model=llama3-8b,tp=2,cp=4,global=1").expect("a step").notes;
    assert!(gradients.iter().any(|n| n.starts_with("dp: ") && n.ends_with("in 2 groups of 4 ranks")), "{gradients:?}");
}

#[test]
fn capacity_and_recomputation_multiply() {
    let mut job = job("mixtral-8x7b");
    job.sizes.expert = 4;
    let plain = step(&job);
    job.capacity = Some(1.25);
    assert_eq!(4 * step(&job).bytes(Part::Expert), 5 * plain.bytes(Part::Expert));
    job.capacity = None;
    job.recompute = hopline::training::Recompute::Full;
    assert_eq!(2 * step(&job).bytes(Part::Expert), 3 * plain.bytes(Part::Expert));
    let mut dense = self::job("gpt-13b");
    let plain = step(&dense).bytes(Part::Tensor);
    dense.recompute = hopline::training::Recompute::Full;
    // Of 10 collectives in each of 40 layers 4 come again; the ends have 5, and the loss a little.
    let more = step(&dense).bytes(Part::Tensor) - plain;
    assert_eq!(more, 40 * 4 * (2 * 2048 * 5120) * 4 * 2);
    dense.sequence_parallel = false;
    let s = 2 * 2048 * 5120;
    assert_eq!(step(&dense).bytes(Part::Tensor), 8 * (40 * 6 * 2 * s + 2 * 2 * s + 3 * 2 * 4 * 2048));
}

#[test]
fn every_demand_moves_what_its_step_says_and_the_schedule_sends_it() {
    let (_, machine) = fabric("full-mesh:n=2");
    let context = Context { fabric: &machine, slots: 2, files: &Disk };
    for keys in [
        "hidden=512,layers=4,tp=2,pp=2,dp=4",
        "hidden=512,layers=4,tp=2,pp=2,dp=4,sp=false,zero=0,tied=false",
        "hidden=512,layers=8,pp=2,dp=2,interleave=2,micro=2",
        "hidden=512,layers=6,tp=2,pp=4,global=8,zero=3",
        "hidden=512,layers=4,tp=2,cp=2,dp=4,fsdp=4,reduce=micro,order=tp-dp-cp",
        "hidden=512,layers=4,tp=2,cp=2,dp=2,cp_comm=a2a,recompute=full",
        "hidden=512,layers=4,tp=2,dp=4,ep=4,experts=8,topk=2,dense_layers=1,shared_experts=1,capacity=1.5",
        "hidden=512,layers=4,tp=2,dp=4,ep=4,etp=1,experts=8,topk=2,pp=2",
        "hidden=512,layers=4,tp=2,pp=2,dp=4,order=tp-cp-ep-pp-dp",
        "hidden=512,layers=4,tp=2,pp=2,dp=4,ep=2,experts=4,rules=aicb",
    ] {
        let whole = traffic(&format!("workload:{keys}")).unwrap_or_else(|e| panic!("{keys}: {e}")).demand;
        let by_part = moved(&format!("workload:{keys}"));
        let sum: u128 = by_part.values().sum();
        assert!((whole.total() - sum as f64).abs() <= 1e-9 * whole.total(), "{keys}: {} {sum}", whole.total());
        for (part, bytes) in &by_part {
            let own = traffic(&format!("workload:{keys},parts={part}")).expect(part).demand.total();
            assert!((own - *bytes as f64).abs() <= 1e-9 * own, "{keys} {part}");
        }
        let params = Params::from_spec(&format!("training:{keys}"), &Place::new("test", 0)).expect("spec");
        let made = schedule::build(&params, &context).unwrap_or_else(|e| panic!("{keys}: {e}"));
        let sent: BTreeMap<(u32, u32), f64> =
            made.schedule.demand().expect(keys).entries().iter().map(|&(a, b, n)| ((a, b), n)).collect();
        let mut counted: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        whole.each_pair(|from, to, bytes| *counted.entry((from, to)).or_default() += bytes);
        assert!(sent.keys().eq(counted.keys()), "{keys}");
        for (pair, bytes) in &counted {
            // Parts of messages are whole bytes.
            assert!(
                (bytes - sent[pair]).abs() <= 1e-4 * bytes,
                "{keys} {pair:?}: {bytes} counted, {} sent",
                sent[pair]
            );
        }
    }
}

#[test]
fn every_model_of_the_list_makes_a_step() {
    for (name, model) in MODELS {
        let experts = if model.experts > 0 { ",ep=8" } else { "" };
        let by_part = moved(&format!("workload:model={name},tp=4,pp=1,dp=8{experts}"));
        assert!(by_part["tp"] > 0 && by_part["dp"] > 0, "{name}");
        assert_eq!(by_part.contains_key("ep"), model.experts > 0, "{name}");
    }
}

#[test]
fn what_megatron_refuses_is_refused_with_the_reason() {
    for (keys, said) in [
        ("model=gpt-13b,tp=3", "heads = 40 is no multiple of tp = 3"),
        ("model=gpt-13b,pp=9", "40 layers in 9 stages: no whole number each"),
        ("model=gpt-13b,dp=3,global=8", "8 sequences a step are no multiple of micro*dp = 1*3"),
        ("model=gpt-13b,ep=2,dp=2", "2 expert-parallel ranks of a model without experts; give experts"),
        ("model=mixtral-8x7b,ep=3,dp=3", "experts = 8 is no multiple of ep = 3"),
        ("model=mixtral-8x7b,tp=2,dp=2,ep=2,sp=false", "experts with tensor parallelism need sequence parallelism"),
        ("model=mixtral-8x7b,dp=2,ep=4", "2 ranks are no multiple of etp*ep*pp = 1*4*1"),
        ("model=gpt-13b,interleave=2", "2 chunks a stage, but no pipeline"),
        ("model=gpt-13b,pp=2,interleave=3", "layers = 40 is no multiple of pp*interleave = 6"),
        ("model=gpt-13b,pp=4,interleave=2,global=6", "micro-batches = 6 is no multiple of pp = 4"),
        ("model=gpt-13b,cp=3", "seq = 2048 is no multiple of 2*cp = 6"),
        ("model=gpt-13b,tp=8,seq=100", "seq / cp = 100 is no multiple of tp = 8"),
        ("model=gpt-13b,dp=4,fsdp=3", "dp*cp = 4 is no multiple of fsdp = 3"),
        ("model=gpt-13b,dp=4,fsdp=2,zero=1", "replicas share weights only with zero=3, not 1"),
        ("model=gpt-13b,grads=3", "`grads` is 3, expected 2 or 4 bytes"),
        ("model=gpt-31b", "`model` is `gpt-31b`, expected one of gpt-13b,"),
        ("model=gpt-13b,capacity=2", "experts have a capacity, but there are none"),
        ("model=gpt-13b,cp=2,rules=aicb", "AICB's rules have only tp, pp, dp and ep with zero=1, not cp"),
        ("model=gpt-13b,file=testdata/workloads/gpt-tiny-16.txt", "a file and a model, expected one of them"),
        ("tp=2", "`tp` belongs to a model, and none is given"),
        ("parts=tp", "a training job needs `file` or `model`"),
        ("model=gpt-13b,chunks=2", "`chunks` is for a file; a model has interleave instead"),
        ("model=gpt-13b,parts=cp,dp=2", "this job has no traffic of cp"),
        ("hidden=512", "`workload` needs `layers`"),
        ("hidden=512,layers=4,heads=8,kv_heads=3", "8 heads in 3 groups of queries, expected a divisor"),
        ("hidden=512,layers=4,topk=2", "a token goes to experts, but there are none"),
        ("hidden=512,layers=4,order=tp-pp,dp=2", "`order` is `tp-pp` without dp, of which there are 2"),
    ] {
        let e = traffic(&format!("workload:{keys}")).err().unwrap_or_else(|| panic!("{keys} is not refused"));
        assert!(e.contains(said), "{keys}: {e}");
        assert!(!e.contains('\n') && e.starts_with("test: "), "{keys}: {e}");
    }
}

/// No size makes it panic or overflow: what is too large is refused.
#[test]
fn no_sizes_make_a_step_panic() {
    let mut rng = hopline::rng::Rng::new(7, "training");
    let mut made = 0;
    for _ in 0..20_000 {
        let mut job = job(MODELS[rng.below(MODELS.len() as u64) as usize].0);
        let sizes = [0u32, 1, 1, 1, 1, 2, 2, 2, 4, 8, 3, 64, 1 << 22, u32::MAX];
        let mut size = || sizes[rng.below(sizes.len() as u64) as usize];
        job.sizes = hopline::training::Sizes {
            tensor: size(),
            context: size(),
            expert: size(),
            expert_tensor: size(),
            data: size(),
            stages: size(),
        };
        (job.micro, job.chunks, job.zero) = (u64::from(size()), size(), size());
        job.shards = Some(size()).filter(|&n| n < 9 && job.zero == 3);
        job.global = u64::from(size()) * u64::from(size());
        if size() == 2 {
            (job.model.layers, job.model.topk) = (size(), u64::from(size()));
        }
        job.rules = if size() == 3 { Rules::Aicb } else { Rules::Megatron };
        if let Ok(step) = job.step() {
            made += 1;
            let sum: u128 = Part::ALL.into_iter().map(|part| step.bytes(part)).sum();
            assert!(sum < 1 << 100, "{job:?}");
        }
    }
    assert!(made > 5, "{made}");
}

/// Where a mapping has the axes of a job, in words that people know.
#[test]
fn map_tells_where_the_axes_are() {
    use hopline::{event::Silent, plan::Plan, run, scenario::Scenario};
    let axes = |topology: &str, traffic: &str| {
        let scenario = Scenario::default().topology(topology).expect("spec").traffic(traffic).expect("spec");
        let scenario = scenario.mappings("default").expect("spec");
        run::map(&Plan::new(&scenario, &Disk).expect("a plan"), &mut Silent).expect("an outcome").axes
    };
    let words = |topology: &str, traffic: &str| -> Vec<String> {
        axes(topology, traffic).into_iter().map(|axis| axis.sentence).collect()
    };
    let pods = "fat-tree:pods=2,servers=4,adapters=8,bandwidth=50,host=dgx-h100";
    let job = "workload:model=gpt-13b,tp=8,pp=2,dp=4,global=32";
    assert_eq!(words(pods, job), ["tp is inside hosts", "dp is same leaf, on rails", "pp is across pods, on rails"]);
    // Another order of ranks puts the replicas into hosts.
    let turned = words(pods, "workload:model=gpt-13b,tp=8,pp=2,dp=4,global=32,order=dp-tp-pp");
    assert_eq!(turned[1], "dp is inside hosts");
    // A ring of 8 ranks in hosts of 4: 3 of 4 links stay in, the others go to the next host's adapter 0.
    let half =
        axes("fat-tree:pods=1,servers=4,adapters=4,bandwidth=50,host=50", "workload:model=gpt-13b,tp=8,dp=2,global=16");
    let tp = &half[0];
    let share = |place: &str| tp.places.iter().find(|own| own.place == place).map_or(-1.0, |own| own.share);
    assert!(
        (share("inside hosts") - 0.75).abs() < 1e-9
            && (tp.places.iter().map(|p| p.share).sum::<f64>() - 1.0).abs() < 1e-9
    );
    assert_eq!((tp.ranks, tp.on_one_rail), (8, Some(0.0)));
    assert_eq!(tp.sentence, "tp is 75.0 % inside hosts, 25.0 % across spines, from rail to rail");
    assert_eq!(
        words("tree:arity=4x4", &format!("workload:file={}/testdata/workloads/gpt-tiny-16.txt", common::root())).len(),
        3
    );
    assert_eq!(words("torus:dims=4x4", "alltoall"), Vec::<String>::new());
}

/// What NCCL printed is a traffic: a ring's link carries 2(n-1)/n of an allreduce, a tree's link all of it each way.
#[test]
fn rings_and_trees_of_nccl_are_a_traffic() {
    let file = format!("{}/testdata/nccl/all-reduce-2-hosts.log", common::root());
    let sent = |keys: &str| traffic(&format!("nccl-log:file={file}{keys}")).map(|t| t.demand.entries().to_vec());
    assert_eq!(sent(""), Ok(vec![(0, 1, 1.0), (1, 0, 1.0)]));
    assert_eq!(sent(",bytes=1GB"), Ok(vec![(0, 1, 1e9), (1, 0, 1e9)]));
    assert_eq!(sent(",bytes=1GB,collective=allgather"), Ok(vec![(0, 1, 5e8), (1, 0, 5e8)]));
    assert_eq!(sent(",bytes=1GB,algorithm=tree"), Ok(vec![(0, 1, 1e9), (1, 0, 1e9)]));
    for (keys, error) in [
        (",comm=0x1", "no communicator has the commId `0x1`"),
        (",comm=first", "`comm` is `first`, expected a commId"),
        (",algorithm=tree,collective=allgather", "NCCL's trees are of an allreduce"),
    ] {
        let found = sent(keys).expect_err(keys);
        assert!(found.contains(error), "{found}");
    }
}
