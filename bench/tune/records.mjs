// What a tune gains from its trials' requests: the same searches with and without them, on servers with a front and steps formed ahead whose constants
// are hidden, in virtual time.
//   node bench/tune/records.mjs [--engines 12] [--first 1] [--runs 10] [--way summaries|requests] [--verbose]
// Prints for each way: searches that ended confirmed and truly keep the limits, what part of the best feasible throughput (every setting tried
// without noise) they reach, their runs, and the run at which they first measured a setting that truly keeps the limits within 2 % of the best.
import { numberFlag, percent } from '../sim/sources.mjs';
import { randomOf } from './engines.mjs';
import { tuneSources } from './problem.mjs';

const rooms = await tuneSources();
const [first, engines, runs] = [numberFlag('first', 1), numberFlag('engines', 12), numberFlag('runs', 10)];
const verbose = process.argv.includes('--verbose');

/** Hidden server number `seed`, its load, and its limits. */
function makeServer(seed) {
  const random = randomOf(seed * 6151 + 29);
  const between = (low, high) => low + (high - low) * random();
  const logBetween = (low, high) => low * (high / low) ** random();
  const aMs = logBetween(4, 16);
  const cMs = aMs * logBetween(0.004, 0.015);
  const profile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'hidden',
    title: 'hidden',
    model: 'hidden',
    source: 'bench',
    date: '2026',
    cost: {
      aMs,
      cMsPerDecode: cMs * between(1, 1.6),
      p1MsPerPrefillToken: logBetween(0.01, 0.06),
      kMsPer1000KvTokens: aMs * logBetween(0.001, 0.006),
      mMsPerMillionAttention: aMs * logBetween(0.05, 0.3),
      decodeCurve: [
        { decodes: 8, ms: 8 * cMs * between(1, 3) },
        { decodes: 80, ms: 24 * cMs + 72 * cMs * between(0.7, 1) },
      ],
    },
    jitter: { stepSigma: 0.03, runSigma: 0.01 },
    maxBatchSize: 256,
    maxPrefillTokens: null,
    kv: null,
    overheadMs: between(1, 4),
    launch: { ms: between(8, 25), graphTokens: 512, graphMs: between(3, 10) },
    front: {
      tokenizeMsPerToken: logBetween(0.003, 0.01),
      promptMsPerToken: 0.002,
      requestMs: between(0.2, 0.7),
      stepMs: between(0.2, 0.5),
      tokenMs: logBetween(0.025, 0.08),
    },
    notes: [],
  };
  const concurrency = Math.round(logBetween(48, 160));
  const [prompt, output] = [logBetween(150, 900), logBetween(24, 96)];
  const length = (mean) => Math.max(4, Math.round(mean * Math.exp(0.1 * normalOf(random))));
  const requests = Array.from({ length: 8000 }, () => ({
    sentMs: 0,
    promptTokens: length(prompt),
    cachedTokens: 0,
    outputTokens: length(output),
  }));
  const knobs = {
    max_num_seqs: [8, 16, 24, 32, 48, 64, 96, 128, 192],
    max_num_batched_tokens: [256, 512, 1024, 2048, 4096],
    long_prefill_token_threshold: [0, 128],
  };
  return { profile, concurrency, requests, knobs, quantiles: [between(0.2, 0.6), between(0.2, 0.6)] };
}

function normalOf(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A run of `count` requests from the `offset`-th on, with these settings. */
function play(server, profile, settings, count, offset, seed) {
  const started = { ...profile, scheduler: { name: 'vllm-v1', settings: { async_scheduling: true, ...settings } } };
  const requests = server.requests.slice(offset, offset + count);
  const run = rooms.playRun(started, { concurrency: server.concurrency, requests, warmup: [] }, { seed });
  // What counts as steady: from when as many as are in flight have ended until the last is sent.
  const { concurrency } = server;
  const sent = Math.max(...run.requests.map(({ sentMs }) => sentMs));
  const done = run.requests
    .map((one) => ({ ...one, endMs: one.sentMs + one.latencyMs }))
    .toSorted((a, b) => a.endMs - b.endMs);
  const fromMs = done[concurrency - 1].endMs;
  const window = done.filter(({ endMs }) => endMs > fromMs && endMs <= sent);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    run: { ...run, name: 'trial', server: null },
    printed: {
      outputTokensPerSec: (1000 * window.reduce((sum, one) => sum + one.outputTokens, 0)) / (sent - fromMs),
      requestsPerSec: (1000 * window.length) / (sent - fromMs),
      ttftMs: mean(window.map((one) => one.ttftMs)),
      tpotMs: mean(window.map((one) => (one.latencyMs - one.ttftMs) / Math.max(1, one.outputTokens - 1))),
      latencyMs: mean(window.map((one) => one.latencyMs)),
      inputTokens: mean(window.map((one) => one.promptTokens)),
      outputTokens: { mean: mean(window.map((one) => one.outputTokens)) },
      counts: { planned: count, ok: count },
    },
  };
}

const averaged = ['outputTokensPerSec', 'ttftMs', 'tpotMs'];

/** Every setting without noise, and limits that some of them keep. */
function truthOf(server) {
  const calm = { ...server.profile, jitter: { stepSigma: 0 } };
  const all = Object.entries(server.knobs).reduce(
    (points, [name, values]) => points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
  const looks = [0, 1, 2, 3].map((i) => i * 2000);
  const seen = all.map((settings) => {
    const each = looks.map((offset) => play(server, calm, settings, 6 * server.concurrency, offset, 1).printed);
    const mean = (key) => each.reduce((sum, one) => sum + one[key] / each.length, 0);
    return { settings, ...Object.fromEntries(averaged.map((key) => [key, mean(key)])) };
  });
  const quantile = (key, part) => seen.map((one) => one[key]).toSorted((a, b) => a - b)[Math.floor(part * seen.length)];
  let limits;
  let feasible = [];
  // Wider until some settings keep both.
  for (let wider = 0; feasible.length < 4; wider += 0.1) {
    limits = {
      ttftMs: 1.03 * quantile('ttftMs', Math.min(0.9, server.quantiles[0] + wider)),
      tpotMs: 1.03 * quantile('tpotMs', Math.min(0.9, server.quantiles[1] + wider)),
    };
    feasible = seen.filter((one) => one.ttftMs < limits.ttftMs && one.tpotMs < limits.tpotMs);
  }
  const best = feasible.toSorted((a, b) => b.outputTokensPerSec - a.outputTokensPerSec)[0];
  return { seen, limits, best, feasible };
}

function problemOf(server, { limits }, seed) {
  const knobs = Object.entries(server.knobs).map(([name, values]) => ({
    name,
    values,
    ordered: typeof values[0] === 'number',
    role: rooms.roleOf(name),
    where: 'server',
    start: null,
    raise: null,
  }));
  const { slos } = rooms.readSlos([`ttft.mean<${limits.ttftMs}ms`, `tpot.mean<${limits.tpotMs}ms`]);
  const expression = { text: String(server.concurrency), names: [] };
  return {
    space: {
      knobs,
      derived: [{ name: 'concurrency', where: 'load', whole: true, expression }],
      fixed: {},
      requires: [],
    },
    objective: { word: 'outputTokensPerSec', direction: 'most', pricePerHour: null },
    slos,
    budgetRuns: runs,
    confirmRuns: 2,
    family: rooms.engineFamily(knobs, Object.keys(server.knobs), null),
    lengths: null,
    kv: null,
    freeLoad: true,
    seed,
  };
}

function search(server, truth, seed, withRuns) {
  const problem = problemOf(server, truth, seed);
  const trials = [];
  const kept = [];
  for (;;) {
    const step = rooms.nextStep(problem, trials, withRuns ? kept : []);
    if (step.kind === 'stop') break;
    const number = trials.length + 1;
    const { concurrency } = step.point.load;
    const { requests } = rooms.trialSize(step.point.load, trials, null);
    const { run, printed } = play(
      { ...server, concurrency },
      server.profile,
      step.point.settings,
      requests,
      (number * requests) % 6000,
      step.seed,
    );
    const summary = rooms.completeSummary(printed, step.point.load, `run-${number}`);
    kept.push({ trial: number, run });
    trials.push({
      number,
      phase: step.phase,
      variant: null,
      ...step.point,
      seed: step.seed,
      outcome: 'ok',
      cause: null,
      figures: rooms.figuresOf(problem.objective, problem.slos, summary),
      predicted: step.predicted,
      summary,
      runId: null,
      restarted: true,
      startedAt: null,
      durationMs: null,
    });
  }
  const [best] = rooms.rankChosen(problem, trials);
  return { trials, best };
}

const ways = Object.fromEntries(
  Object.entries({ summaries: false, requests: true }).filter(
    ([name]) => !process.argv.includes('--way') || process.argv.includes(name),
  ),
);
const results = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let n = first; n < first + engines; n++) {
  const server = makeServer(n);
  const truth = truthOf(server);
  const same = (a, b) => Object.keys(server.knobs).every((name) => a[name] === b[name]);
  const isGood = (one) => truth.feasible.includes(one) && one.outputTokensPerSec > 0.98 * truth.best.outputTokensPerSec;
  for (const [name, withRuns] of Object.entries(ways)) {
    const fromMs = performance.now();
    const { trials, best } = search(server, truth, n, withRuns);
    const of = best == null ? null : truth.seen.find((one) => same(one.settings, best.point.settings));
    const feasible = of !== null && truth.feasible.includes(of);
    const hit = trials.findIndex(
      (trial) =>
        trial.load.concurrency === server.concurrency &&
        isGood(truth.seen.find((one) => same(one.settings, trial.settings))),
    );
    const ratio = feasible ? of.outputTokensPerSec / truth.best.outputTokensPerSec : 0;
    const confirmed = best?.confirmed ?? false;
    results[name].push({
      good: feasible && confirmed,
      wrong: confirmed && !feasible,
      ratio,
      runs: trials.length,
      hit: hit < 0 ? runs + 1 : hit + 1,
    });
    if (verbose) {
      const took = ((performance.now() - fromMs) / 1000).toFixed(1);
      console.log(
        n,
        name,
        percent(ratio),
        confirmed ? 'confirmed' : 'not confirmed',
        `${trials.length} runs, hit at ${hit + 1}, ${took} s,`,
        `${truth.feasible.length} of ${truth.seen.length} feasible`,
      );
      for (const { phase, settings, load, figures, predicted } of trials) {
        const words = ['outputTokensPerSec', 'ttft.mean', 'tpot.mean'];
        const told = words.map(
          (word) =>
            `${figures[word].toFixed(1)}${predicted === null ? '' : ` (${predicted.figures[word].middle.toFixed(1)})`}`,
        );
        console.log(
          '   ',
          phase,
          JSON.stringify(Object.values(settings)),
          load.concurrency,
          told.join(' '),
          predicted?.by ?? '',
        );
      }
      console.log(
        '    limits',
        truth.limits.ttftMs.toFixed(1),
        truth.limits.tpotMs.toFixed(1),
        'best',
        JSON.stringify(Object.values(truth.best.settings)),
        truth.best.outputTokensPerSec.toFixed(1),
      );
    }
  }
}
const middleOf = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
};
console.log(`servers ${first} to ${first + engines - 1}, at most ${runs} runs`);
console.log(
  'a tune reads | confirmed and truly kept | of the best feasible: mean, median, worst | runs: mean | first within 2 % of the best at run: mean',
);
for (const [name, list] of Object.entries(results)) {
  const mean = (key) => list.reduce((sum, one) => sum + one[key], 0) / list.length;
  const ratios = list.map(({ ratio }) => ratio);
  const wrong = list.filter((one) => one.wrong).length;
  console.log(
    [
      name,
      `${list.filter(({ good }) => good).length} of ${list.length}${wrong > 0 ? ` (${wrong} confirmed and not kept)` : ''}`,
      `${percent(mean('ratio'))}, ${percent(middleOf(ratios))}, ${percent(Math.min(...ratios))}`,
      mean('runs').toFixed(1),
      mean('hit').toFixed(1),
    ].join(' | '),
  );
}
