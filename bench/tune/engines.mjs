// Synthetic engines for measuring a tuner: seeded, analytic, with features that the simulator behind `dyno tune` does not have
// (tiles that make the step cost jump, batches that cost more than linearly, a host that caps throughput, first tokens that wait
// behind prefills, KV caches that thrash, settings whose names say nothing). Independent of src/: nothing is imported from there.

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function randomOf(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const normalOf = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const steps = (from, to, step) => Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

/** Engine number `seed`: its space, its load, its SLOs, and the truth behind it. */
export function makeEngine(seed) {
  const random = randomOf(seed * 7919 + 17);
  const between = (low, high) => low + (high - low) * random();
  const logBetween = (low, high) => low * (high / low) ** random();
  const kind = ['mindie', 'vllm', 'plain', 'mindie-numa', 'vllm-rate', 'nameless'][seed % 6];
  const truth = {
    aMs: logBetween(8, 35),
    cMs: logBetween(0.03, 0.2),
    power: between(1, 1.12),
    tile: [32, 64, 128, 256][Math.floor(random() * 4)],
    tileJump: between(0.01, 0.08),
    p1Ms: logBetween(0.02, 0.12),
    input: Math.round(logBetween(100, 1200)),
    output: Math.round(logBetween(80, 500)),
    kvTokens: 0,
    thrash: between(0.5, 2),
    hostTokensPerSec: logBetween(4000, 30000),
    interference: between(0.2, 0.8),
    named: [1, between(0.94, 1.02), between(0.9, 1.05), between(0.92, 1.08)],
    noise: { throughput: between(0.006, 0.015), tpot: between(0.006, 0.018), ttft: between(0.04, 0.1) },
  };
  truth.kvTokens = Math.round(logBetween(60, 500) * (truth.input + truth.output));
  const concurrency = kind === 'vllm-rate' ? null : Math.round(logBetween(200, 1000));
  const mostBatch = [256, 384, 512][Math.floor(random() * 3)];
  const knobs = {
    mindie: {
      maxBatchSize: steps(8, mostBatch, 1),
      maxPrefillTokens: steps(1024, 16384, 1024),
      supportSelectBatch: [true, false],
    },
    vllm: { max_num_seqs: steps(8, mostBatch, 8), max_num_batched_tokens: steps(512, 16384, 512) },
    plain: { maxBatchSize: steps(4, mostBatch, 4) },
    'mindie-numa': { maxBatchSize: steps(8, mostBatch, 2), numa: ['none', 'node0', 'node1', 'odd'] },
    'vllm-rate': { max_num_seqs: steps(16, mostBatch, 16), max_num_batched_tokens: steps(1024, 8192, 1024) },
    nameless: { lanes: steps(4, mostBatch, 4), slab: steps(1, 16, 1) },
  }[kind];
  const loadKnobs =
    kind === 'vllm-rate'
      ? { rate: steps(3, 120, 1).map((i) => Number(((i * peakOf(truth, mostBatch)) / 100).toPrecision(4))) }
      : {};
  const engine = { seed, kind, truth, knobs, loadKnobs, concurrency, slos: [] };
  engine.slos = slosOf(engine, random);
  return engine;
}

/** Step time of b decodes without prefill. */
function decodeMs(truth, b, named) {
  const tiles = Math.floor(b / truth.tile);
  return named * (truth.aMs * (1 + truth.tileJump * tiles) + truth.cMs * b ** truth.power);
}

function peakOf(truth, b) {
  return (1000 * b) / (truth.output * decodeMs(truth, b, 1) + truth.input * truth.p1Ms * b);
}

/** What the engine truly does with settings under a load: a fixed point of decode, prefill and queue; no noise. */
export function truthOf(engine, settings, load) {
  const { truth } = engine;
  const cap = settings.maxBatchSize ?? settings.max_num_seqs ?? settings.lanes;
  const chunk =
    settings.maxPrefillTokens ??
    settings.max_num_batched_tokens ??
    (settings.slab === undefined ? 8192 : settings.slab * 1024);
  const select = settings.supportSelectBatch === true;
  const numa = settings.numa === undefined ? 1 : truth.named[['none', 'node0', 'node1', 'odd'].indexOf(settings.numa)];
  const context = truth.input + truth.output / 2;
  const kvCap = truth.kvTokens / context;
  const running = Math.min(cap, load.concurrency ?? cap);
  const figuresAt = (asked) => {
    const b = Math.min(asked, kvCap);
    const over = Math.max(0, asked - kvCap) / kvCap;
    const stepMs = decodeMs(truth, b, numa);
    // Prompts that join one prefill: large prefills waste less, and hold the decodes up for longer.
    const joined = Math.max(1, chunk / truth.input);
    const prefillMs = truth.p1Ms * truth.input + (truth.aMs * 0.8) / Math.min(joined, 16);
    const stall = (1 + truth.interference * Math.min(1, chunk / 16384)) * (select ? 0.85 : 1);
    const wholeMs = truth.output * stepMs + b * prefillMs * stall;
    const lost = 1 + truth.thrash * over;
    let perSec = (1000 * b) / (wholeMs * lost);
    perSec = perSec / (1 + (perSec * truth.output) / truth.hostTokensPerSec / 4) ** 0.5;
    const busyMs = (1000 * b) / perSec;
    return { b, perSec, tpotMs: busyMs / truth.output, prefillMs, joined };
  };
  if (load.ratePerSec == null) {
    const full = figuresAt(running);
    const waitMs = Math.max(0, ((load.concurrency ?? cap) - full.b) / full.perSec) * 1000;
    const ttftMs =
      waitMs * (select ? 1.1 : 1) + full.prefillMs * Math.min(full.joined, 8) + full.tpotMs * (select ? 3 : 1);
    return { requestsPerSec: full.perSec, outputTokensPerSec: full.perSec * truth.output, tpotMs: full.tpotMs, ttftMs };
  }
  // Open loop: the batch that the rate asks for, found by halving; beyond the peak the queue grows with the run.
  const peak = figuresAt(cap);
  const rate = load.ratePerSec;
  let [low, high] = [0.5, cap];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (figuresAt(middle).perSec < rate) low = middle;
    else high = middle;
  }
  const at = figuresAt(high);
  const busy = Math.min(rate / peak.perSec, 0.999);
  const overload = Math.max(0, rate / peak.perSec - 1);
  const ttftMs =
    at.prefillMs * Math.min(at.joined, 4) + at.tpotMs + (0.15 * at.tpotMs * busy ** 8) / (1 - busy) + overload * 60_000;
  const perSec = Math.min(rate, peak.perSec);
  return { requestsPerSec: perSec, outputTokensPerSec: perSec * truth.output, tpotMs: at.tpotMs, ttftMs };
}

/** Limits that some settings keep and others do not: a quantile of the truth over the space. */
function slosOf(engine, random) {
  const all = allPoints(engine, 400).map((point) => truthOf(engine, point.settings, point.load));
  const at = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))];
  // An open loop beyond capacity has a queue without end: only a limit on the first token makes such a question sound.
  const shape = engine.kind === 'vllm-rate' ? 1 + Math.floor(random() * 2) : Math.floor(random() * 3);
  const tpot = at(
    all.map((one) => one.tpotMs),
    0.25 + 0.5 * random(),
  );
  const slos = [{ word: 'tpot.mean', limit: Number(tpot.toPrecision(4)) }];
  if (shape > 0) {
    const kept = all.filter((one) => one.tpotMs < tpot);
    const ttft = at(
      kept.map((one) => one.ttftMs),
      0.5 + 0.45 * random(),
    );
    slos.push({ word: 'ttft.mean', limit: Number(ttft.toPrecision(4)) });
  }
  return slos;
}

/** Every point of the space, or about `most` of them evenly. */
export function allPoints(engine, most = Infinity) {
  const names = [...Object.keys(engine.knobs), ...Object.keys(engine.loadKnobs)];
  const lists = [...Object.values(engine.knobs), ...Object.values(engine.loadKnobs)];
  const size = lists.reduce((product, list) => product * list.length, 1);
  const stride = Math.max(1, Math.floor(size / most)) | 1;
  const points = [];
  for (let n = 0; n < size; n += stride) points.push(pointOf(engine, names, lists, n));
  return points;
}

function pointOf(engine, names, lists, n) {
  let rest = n;
  const settings = {};
  const load = { concurrency: engine.concurrency, ratePerSec: null };
  lists.forEach((list, i) => {
    const value = list[rest % list.length];
    rest = Math.floor(rest / list.length);
    if (names[i] === 'rate') load.ratePerSec = value;
    else settings[names[i]] = value;
  });
  return { settings, load };
}

/** Whether the truth keeps every limit, with this much room (0.02 = 2 %). */
export function isFeasible(engine, figures, room = 0) {
  return engine.slos.every(
    ({ word, limit }) => figures[word === 'tpot.mean' ? 'tpotMs' : 'ttftMs'] * (1 + room) < limit,
  );
}

/** The best throughput among settings that truly keep every limit; null = none does. */
export function optimumOf(engine) {
  let best = null;
  for (const point of allPoints(engine)) {
    const figures = truthOf(engine, point.settings, point.load);
    if (isFeasible(engine, figures) && (best === null || figures.outputTokensPerSec > best.figures.outputTokensPerSec))
      best = { point, figures };
  }
  return best;
}

/** One noisy run, as the JSON that an `evaluate` command prints. */
export function measure(engine, settings, load, seed) {
  const { truth } = engine;
  const random = randomOf(seed * 31 + engine.seed);
  const figures = truthOf(engine, settings, load);
  const noisy = (value, sd) => value * Math.exp(sd * normalOf(random));
  const factor = Math.exp(truth.noise.throughput * normalOf(random));
  const count = 400;
  return {
    requestsPerSec: figures.requestsPerSec * factor,
    outputTokensPerSec: figures.outputTokensPerSec * factor,
    ttftMs: { mean: noisy(figures.ttftMs, truth.noise.ttft) },
    tpotMs: { mean: noisy(figures.tpotMs, truth.noise.tpot) },
    inputTokens: { mean: truth.input },
    outputTokens: { mean: truth.output },
    counts: { planned: count, ok: count, failed: 0 },
  };
}
