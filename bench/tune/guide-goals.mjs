// The goals of the MindIE guide, searched from `dyno tune --init mindie` as it is printed, on simulated MindIEs in virtual time: what the
// bench (goals.mjs) and the law (test/laws/tune-goals.test.ts) share. `rooms` = the exports of advice/tune, advice/fit and engine/sim.

/** Goals as typed, and what they promise. */
export const goals = {
  throughput: {},
  'decode-limit=50ms': { itlMs: 50 },
  'ttft=2s': { ttftMs: 2000 },
  'ttft=8s,decode=50ms': { ttftMs: 8000, itlMs: 50 },
};

/** Simulated MindIEs: fitted to published sweeps of three models. */
export const servers = ['qwen1.5-7b-mindie-8x910b4', 'qwen1.5-14b-mindie-8x910b4', 'qwq-32b-mindie-atb-4x910b3'];

const [inputTokens, outputTokens] = [186, 346];

/** What a client sees of one run. `factor` makes every step so much slower. */
function play({ closedRun }, base, { settings, load }, requests, seed, factor) {
  const { cost } = base;
  const profile = {
    ...base,
    cost: Object.fromEntries(Object.entries(cost).map(([name, value]) => [name, value * factor])),
    scheduler: { name: 'mindie', settings },
  };
  const fill = (tokens) => Array(requests).fill(tokens);
  const asked = { concurrency: load.concurrency, inputTokens: fill(inputTokens), outputTokens: fill(outputTokens) };
  const run = closedRun(profile, asked, seed);
  return {
    outputTokensPerSec: run.outputTokensPerSec,
    ttftMs: run.ttftMeanMs,
    itlMs: (run.latencyMeanMs - run.ttftMeanMs) / (outputTokens - 1),
    inputTokens,
    outputTokens: { mean: outputTokens, p50: outputTokens, p90: outputTokens },
    counts: { planned: requests, ok: requests },
  };
}

/** The settings' figures without noise. */
export function truthAt(rooms, server, point) {
  const calm = { ...rooms.builtinProfile(server), jitter: { stepSigma: 0 } };
  return play(rooms, calm, point, 6 * point.load.concurrency, 1, 1);
}

export function keeps(goal, { ttftMs, itlMs }) {
  const limits = goals[goal];
  return ttftMs < (limits.ttftMs ?? Infinity) && itlMs < (limits.itlMs ?? Infinity);
}

/** The file of a goal, read as the command reads it. */
export function requestOf({ initFile, readGoal, readTuneFile }, goal, seed) {
  return readTuneFile(`${initFile('mindie')}\nseed: ${seed}\n`, 'tune.yaml', readGoal(goal));
}

/** The most throughput among all batches that truly keep the goal, every one tried without noise. */
export function bestOf(rooms, server, goal) {
  const { space } = requestOf(rooms, goal, 1).problem;
  let best = null;
  const places = space.knobs.reduce((list, { values }) => list.flatMap((at) => values.map((_, i) => [...at, i])), [[]]);
  for (const place of places) {
    const point = rooms.pointAt(space, place);
    if (point === null) continue;
    const figures = truthAt(rooms, server, point);
    if (keeps(goal, figures) && (best === null || figures.outputTokensPerSec > best.figures.outputTokensPerSec))
      best = { point, figures };
  }
  return best;
}

/** A standard normal number that hangs on the seed alone (Box and Muller over a linear congruence). */
function normalOf(seed) {
  let state = (seed * 2_654_435_761) % 4_294_967_296;
  const next = () => (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296) / 4_294_967_296;
  for (let i = 0; i < 8; i++) next();
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** A whole search. `spread` = how far two runs of the same settings lie apart, as a standard deviation of the cost of a step. */
export function search(rooms, server, goal, seed, spread) {
  const { problem } = requestOf(rooms, goal, seed);
  const base = rooms.builtinProfile(server);
  const trials = [];
  for (;;) {
    const step = rooms.nextStep(problem, trials);
    if (step.kind === 'stop') return { problem, trials, because: step.because };
    const { requests } = rooms.trialSize(step.point.load, trials, null);
    const printed = play(rooms, base, step.point, requests, step.seed, Math.exp(spread * normalOf(step.seed)));
    const summary = rooms.completeSummary(printed, step.point.load, `run-${trials.length + 1}`);
    trials.push({
      number: trials.length + 1,
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
}
