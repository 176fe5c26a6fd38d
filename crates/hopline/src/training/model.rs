//! Shapes of transformer models, and how many parameters their parts have.

use crate::error::{Error, Result};
use crate::params::{Params, Reader};

/// The shape of a model: widths, numbers of layers and heads, experts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// Width of an activation.
    pub hidden: u64,
    /// Transformer layers.
    pub layers: u32,
    /// Heads of queries.
    pub heads: u64,
    /// Heads of keys and values: fewer than `heads` where queries are grouped.
    pub kv_heads: u64,
    /// Width of an MLP.
    pub ffn: u64,
    /// Three matrices in an MLP (SwiGLU) instead of two; then norms are RMSNorm, without a bias.
    pub gated: bool,
    /// Words, before padding.
    pub vocab: u64,
    /// Whether the head has the weights of the word embedding.
    pub tied: bool,
    /// Whether positions are learned: a parameter of seq x hidden.
    pub learned: bool,
    /// Tokens of a sequence, where the job does not say.
    pub seq: u64,
    /// Experts of a layer, 0 for none.
    pub experts: u64,
    /// Experts that a token goes to.
    pub topk: u64,
    /// Width of one expert.
    pub expert_ffn: u64,
    /// Layers at the beginning that have an MLP in place of experts.
    pub dense_layers: u32,
    /// Experts that every token goes to, on its own rank.
    pub shared_experts: u64,
    /// Latent attention in place of grouped queries.
    pub latent: Option<Latent>,
}

/// Multi-head latent attention: arXiv 2405.04434, section 2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Latent {
    /// Width to which queries are compressed.
    pub query_rank: u64,
    /// Width to which keys and values are compressed.
    pub kv_rank: u64,
    /// Width of a head's key without and with position.
    pub key: [u64; 2],
    /// Width of a head's value.
    pub value: u64,
}

const GPT: Model = Model {
    hidden: 5120,
    layers: 40,
    heads: 40,
    kv_heads: 40,
    ffn: 20_480,
    gated: false,
    vocab: 50_257,
    tied: true,
    learned: false,
    seq: 2048,
    experts: 0,
    topk: 0,
    expert_ffn: 0,
    dense_layers: 0,
    shared_experts: 0,
    latent: None,
};

const LLAMA: Model = Model {
    hidden: 4096,
    layers: 32,
    heads: 32,
    kv_heads: 8,
    ffn: 14_336,
    gated: true,
    vocab: 128_256,
    tied: false,
    seq: 8192,
    ..GPT
};

/// Models by name, with public shapes.
pub const MODELS: &[(&str, Model)] = &[
    ("gpt-13b", GPT),
    ("gpt3-175b", Model { hidden: 12_288, layers: 96, heads: 96, kv_heads: 96, ffn: 49_152, ..GPT }),
    ("llama3-8b", LLAMA),
    ("llama3-70b", Model { hidden: 8192, layers: 80, heads: 64, ffn: 28_672, ..LLAMA }),
    ("llama3-405b", Model { hidden: 16_384, layers: 126, heads: 128, ffn: 53_248, ..LLAMA }),
    ("mixtral-8x7b", Model { vocab: 32_000, seq: 4096, experts: 8, topk: 2, expert_ffn: 14_336, ..LLAMA }),
    (
        "deepseek-v3",
        Model {
            hidden: 7168,
            layers: 61,
            heads: 128,
            kv_heads: 128,
            ffn: 18_432,
            vocab: 129_280,
            seq: 4096,
            experts: 256,
            topk: 8,
            expert_ffn: 2048,
            dense_layers: 3,
            shared_experts: 1,
            latent: Some(Latent { query_rank: 1536, kv_rank: 512, key: [128, 64], value: 128 }),
            ..LLAMA
        },
    ),
];

impl Model {
    /// A model of the list by its name.
    pub fn named(name: &str) -> Option<Model> {
        MODELS.iter().find(|(known, _)| *known == name).map(|(_, model)| model.clone())
    }

    /// A model of so many layers of this width that has otherwise what Megatron-LM has by default: heads of 128, an MLP
    /// four times as wide, GPT-2's 50,257 words tied to the head, sequences of 2048.
    pub fn new(hidden: u64, layers: u32) -> Model {
        let heads = (hidden / 128).max(1);
        Model { hidden, layers, heads, kv_heads: heads, ffn: 4 * hidden, ..GPT }
    }

    /// Reads a name or a shape; `None` where neither is given.
    pub(super) fn read(reader: &Reader) -> Result<Option<(Option<String>, Model)>> {
        let name: Option<String> = reader.get("model")?;
        let mut model = match &name {
            Some(name) => Model::named(name).ok_or_else(|| {
                let known: Vec<&str> = MODELS.iter().map(|(name, _)| *name).collect();
                reader
                    .wrong("model", format!("`model` is `{name}`, expected one of {}", known.join(", ")))
                    .hint("or give hidden, layers, heads, ffn and vocab instead of a name")
            })?,
            None => match reader.get("hidden")? {
                Some(hidden) => Model::new(hidden, reader.need("layers")?),
                None => return Ok(None),
            },
        };
        let widened = reader.get::<u64>("hidden")?.is_some();
        model.hidden = reader.or("hidden", model.hidden)?;
        model.layers = reader.or("layers", model.layers)?;
        model.heads = reader.or("heads", model.heads)?;
        let kv_heads = if name.is_none() || widened { model.heads } else { model.kv_heads };
        model.kv_heads = reader.or("kv_heads", kv_heads)?;
        model.ffn = reader.or("ffn", model.ffn)?;
        model.gated = super::keys::flag(reader, "gated", model.gated)?;
        model.vocab = reader.or("vocab", model.vocab)?;
        model.tied = super::keys::flag(reader, "tied", model.tied)?;
        model.learned = super::keys::flag(reader, "learned", model.learned)?;
        model.experts = reader.or("experts", model.experts)?;
        let topk = if model.experts > 0 { model.topk.max(2.min(model.experts)) } else { 0 };
        model.topk = reader.or("topk", topk)?;
        let expert_ffn = if model.expert_ffn == 0 { model.ffn } else { model.expert_ffn };
        model.expert_ffn = reader.or("expert_ffn", expert_ffn)?;
        model.dense_layers = reader.or("dense_layers", model.dense_layers)?;
        model.shared_experts = reader.or("shared_experts", model.shared_experts)?;
        model.check().map(|()| Some((name, model)))
    }

    pub(super) fn check(&self) -> Result<()> {
        let sizes = [
            ("hidden", self.hidden),
            ("heads", self.heads),
            ("kv_heads", self.kv_heads),
            ("ffn", self.ffn),
            ("vocab", self.vocab),
            ("seq", self.seq),
        ];
        if let Some((key, size)) = sizes.into_iter().find(|(_, size)| !(1..=MOST).contains(size)) {
            return Err(Error::argument(key, format!("`{key}` is {size}, expected 1 to {MOST}")));
        }
        if !(1..=MOST_LAYERS).contains(&self.layers) {
            return Err(Error::argument("layers", format!("`layers` is {}, expected 1 to {MOST_LAYERS}", self.layers)));
        }
        let counts = [
            ("experts", self.experts),
            ("expert_ffn", self.expert_ffn),
            ("topk", self.topk),
            ("shared_experts", self.shared_experts),
        ];
        if let Some((key, count)) = counts.into_iter().find(|(_, count)| *count > MOST) {
            return Err(Error::argument(key, format!("`{key}` is {count}, expected at most {MOST}")));
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            let text = format!("{} heads in {} groups of queries, expected a divisor", self.heads, self.kv_heads);
            return Err(Error::argument("kv_heads", text));
        }
        match self.experts {
            0 if self.topk > 0 => Err(Error::argument("topk", "a token goes to experts, but there are none")
                .hint("give experts, the number of them in a layer")),
            n if self.topk > n => Err(Error::argument(
                "topk",
                format!("a token goes to {} of {n} experts, expected at most {n}", self.topk),
            )),
            n if n > 0 && self.topk == 0 => {
                Err(Error::argument("topk", "a token goes to no expert, expected 1 or more"))
            }
            _ => Ok(()),
        }
    }

    /// Writes what differs from the model of that name, or from [`Model::new`].
    pub(super) fn params(&self, name: Option<&str>, params: Params) -> Params {
        let named = name.and_then(Model::named);
        let params = match (&named, name) {
            (Some(base), Some(name)) => {
                let params = params.with("model", name).unless("hidden", self.hidden, base.hidden);
                params.unless("layers", self.layers, base.layers)
            }
            _ => params.with("hidden", self.hidden).with("layers", self.layers),
        };
        let grouped = named.as_ref().filter(|base| base.hidden == self.hidden).map_or(self.heads, |base| base.kv_heads);
        let base = named.unwrap_or_else(|| Model::new(self.hidden, self.layers));
        let params = params
            .unless("heads", self.heads, base.heads)
            .unless("kv_heads", self.kv_heads, grouped)
            .unless("ffn", self.ffn, base.ffn)
            .unless("gated", self.gated, base.gated)
            .unless("vocab", self.vocab, base.vocab)
            .unless("tied", self.tied, base.tied)
            .unless("learned", self.learned, base.learned);
        if self.experts == 0 && base.experts == 0 {
            return params;
        }
        params
            .unless("experts", self.experts, base.experts)
            .with("topk", self.topk)
            .with("expert_ffn", self.expert_ffn)
            .unless("dense_layers", self.dense_layers, base.dense_layers)
            .unless("shared_experts", self.shared_experts, base.shared_experts)
    }

    /// Words, padded as Megatron-LM does: to a multiple of 128 for each tensor-parallel rank.
    pub fn padded_vocab(&self, tensor: u64) -> u64 {
        self.vocab.next_multiple_of(128 * tensor)
    }

    /// Parameters of a norm: a weight, and a bias unless it is RMSNorm.
    pub fn norm(&self) -> u64 {
        if self.gated { self.hidden } else { 2 * self.hidden }
    }

    /// Parameters of the attention on each of `tensor` ranks, without biases.
    pub fn attention(&self, tensor: u64) -> u64 {
        let h = self.hidden;
        match self.latent {
            // Compressions are the same on every rank, the way back is split by heads.
            Some(Latent { query_rank, kv_rank, key: [plain, position], value }) => {
                let down = h * query_rank + h * (kv_rank + position);
                let up = query_rank * (plain + position) + kv_rank * (plain + value) + value * h;
                down + self.heads * up / tensor
            }
            None => (2 * h * h + 2 * h * h * self.kv_heads / self.heads) / tensor,
        }
    }

    /// What a token's keys and values have in all heads together, in numbers.
    pub fn keys_and_values(&self) -> u64 {
        match self.latent {
            Some(Latent { key: [plain, position], value, .. }) => self.heads * (plain + position + value),
            None => 2 * self.kv_heads * (self.hidden / self.heads),
        }
    }

    /// What a token's queries have in all heads together, in numbers.
    pub fn queries(&self) -> u64 {
        match self.latent {
            Some(Latent { key: [plain, position], .. }) => self.heads * (plain + position),
            None => self.hidden,
        }
    }

    /// Parameters of an MLP of this width on each of `tensor` ranks, without biases.
    pub fn mlp(&self, width: u64, tensor: u64) -> u64 {
        if self.gated { 3 * self.hidden * width / tensor } else { 2 * self.hidden * width / tensor }
    }
}

const MOST_LAYERS: u32 = 1 << 16;

/// The largest width or number.
const MOST: u64 = 1 << 22;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_that_models_are_named_after() {
        for (name, billions) in [
            ("gpt-13b", 13.0),
            ("gpt3-175b", 175.0),
            ("llama3-8b", 8.0),
            ("llama3-70b", 70.6),
            ("llama3-405b", 405.9),
            ("mixtral-8x7b", 46.7),
            ("deepseek-v3", 671.0),
        ] {
            let m = Model::named(name).expect(name);
            let layer = |i: u32| {
                let experts = m.experts * m.mlp(m.expert_ffn, 1) + m.hidden * m.experts;
                let shared = m.shared_experts * m.mlp(m.expert_ffn, 1);
                m.attention(1)
                    + if m.experts > 0 && i >= m.dense_layers { experts + shared } else { m.mlp(m.ffn, 1) }
                    + 2 * m.norm()
            };
            let words = m.vocab * m.hidden * if m.tied { 1 } else { 2 };
            let all = (0..m.layers).map(layer).sum::<u64>() + words + m.norm();
            assert!((all as f64 / 1e9 / billions - 1.0).abs() < 0.02, "{name}: {all} parameters");
        }
    }
}
