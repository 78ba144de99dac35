// `dyno tune`'s search beside random search, particle swarm 10×5 and a grid, on synthetic engines (engines.mjs).
//   node bench/tune/run.mjs [--engines 24] [--first 1] [--seeds 1] [--runs 10] [--verbose]
// Prints, for each method: runs, what part of the feasible optimum the chosen settings truly reach (0 where they truly break a limit),
// and how many are truly feasible.
import { numberFlag, percent } from '../sim/sources.mjs';
import { allPoints, isFeasible, makeEngine, measure, optimumOf, randomOf, truthOf } from './engines.mjs';
import { tuneSources, problemOf } from './problem.mjs';

const rooms = await tuneSources();
const engines = numberFlag('engines', 24);
const first = numberFlag('first', 1);
const seeds = numberFlag('seeds', 1);
const runs = numberFlag('runs', 10);
const verbose = process.argv.includes('--verbose');

const observe = (engine, point, seed) => {
  const printed = measure(engine, point.settings, point.load, seed);
  return { throughput: printed.outputTokensPerSec, tpotMs: printed.tpotMs.mean, ttftMs: printed.ttftMs.mean };
};
const excess = (engine, seen) =>
  engine.slos.reduce(
    (sum, { word, limit }) => sum + Math.max(0, Math.log(seen[word === 'tpot.mean' ? 'tpotMs' : 'ttftMs'] / limit)),
    0,
  );
/** Best seen that kept the limits, else the nearest to them. */
const better = (a, b) =>
  a === null || b.excess < a.excess || (b.excess === a.excess && b.throughput > a.throughput) ? b : a;

function dyno(engine, seed) {
  const problem = problemOf(rooms, engine, runs, seed);
  const trials = [];
  for (;;) {
    const step = rooms.nextStep(problem, trials);
    if (step.kind === 'stop') break;
    trials.push(rooms.trialOf(problem, step, engine, trials.length + 1));
  }
  const [best] = rooms.rankChosen(problem, trials);
  if (verbose)
    for (const t of trials)
      console.log(
        '   ',
        t.number,
        t.phase,
        JSON.stringify(t.settings),
        t.load.ratePerSec ?? '',
        Math.round(t.figures.outputTokensPerSec),
        engine.slos.map(({ word, limit }) => `${word} ${t.figures[word].toFixed(2)}/${limit}`).join(' '),
        t.predicted
          ? `${t.predicted.by} ${Math.round(t.predicted.figures.outputTokensPerSec.middle)} ${engine.slos.map(({ word }) => t.predicted.figures[word].middle.toFixed(2)).join(' ')}`
          : '',
      );
  return { point: best?.point ?? null, used: trials.length, confirmed: best?.confirmed ?? false };
}

function randomSearch(engine, seed, budget) {
  const random = randomOf(seed * 101 + engine.seed);
  const points = allPoints(engine);
  let best = null;
  for (let i = 0; i < budget; i++) {
    const point = points[Math.floor(random() * points.length)];
    const seen = observe(engine, point, seed * 1000 + i);
    best = better(best, { point, excess: excess(engine, seen), throughput: seen.throughput });
  }
  return { point: best.point, used: budget };
}

function grid(engine, seed, budget) {
  const points = allPoints(engine, budget).slice(0, budget);
  let best = null;
  points.forEach((point, i) => {
    const seen = observe(engine, point, seed * 1000 + i);
    best = better(best, { point, excess: excess(engine, seen), throughput: seen.throughput });
  });
  return { point: best.point, used: points.length };
}

/** Particle swarm, 10 particles and 5 rounds: 50 runs; weights as commonly used (0.7, 1.5, 1.5). */
function swarm(engine, seed) {
  const random = randomOf(seed * 307 + engine.seed);
  const lists = [...Object.values(engine.knobs), ...Object.values(engine.loadKnobs)];
  const names = [...Object.keys(engine.knobs), ...Object.keys(engine.loadKnobs)];
  const pointAt = (x) => {
    const settings = {};
    const load = { concurrency: engine.concurrency, ratePerSec: null };
    x.forEach((part, i) => {
      const value = lists[i][Math.min(lists[i].length - 1, Math.max(0, Math.round(part * (lists[i].length - 1))))];
      if (names[i] === 'rate') load.ratePerSec = value;
      else settings[names[i]] = value;
    });
    return { settings, load };
  };
  const score = (one) => (one.excess > 0 ? -1e6 * one.excess : one.throughput);
  let best = null;
  let used = 0;
  const particles = Array.from({ length: 10 }, () => ({
    x: lists.map(() => random()),
    v: lists.map(() => 0),
    own: null,
  }));
  for (let round = 0; round < 5; round++) {
    for (const particle of particles) {
      const point = pointAt(particle.x);
      const seen = observe(engine, point, seed * 1000 + used++);
      const one = { point, x: [...particle.x], excess: excess(engine, seen), throughput: seen.throughput };
      if (particle.own === null || score(one) > score(particle.own)) particle.own = one;
      if (best === null || score(one) > score(best)) best = one;
    }
    for (const particle of particles)
      particle.x = particle.x.map((x, i) => {
        particle.v[i] =
          0.7 * particle.v[i] + 1.5 * random() * (particle.own.x[i] - x) + 1.5 * random() * (best.x[i] - x);
        return Math.min(1, Math.max(0, x + particle.v[i]));
      });
  }
  return { point: best.point, used };
}

const methods = {
  'dyno tune': (engine, seed) => dyno(engine, seed),
  [`random, ${runs} runs`]: (engine, seed) => randomSearch(engine, seed, runs),
  'random, 50 runs': (engine, seed) => randomSearch(engine, seed, 50),
  'swarm 10×5': (engine, seed) => swarm(engine, seed),
  [`grid, ${runs} runs`]: (engine, seed) => grid(engine, seed, runs),
  'grid, 50 runs': (engine, seed) => grid(engine, seed, 50),
};
const results = Object.fromEntries(Object.keys(methods).map((name) => [name, []]));
for (let n = first; n < first + engines; n++) {
  const engine = makeEngine(n);
  const best = optimumOf(engine);
  if (best === null) throw new Error(`engine ${n} has no feasible setting`);
  for (let seed = 1; seed <= seeds; seed++) {
    for (const [name, method] of Object.entries(methods)) {
      const from = process.cpuUsage().user;
      const { point, used, confirmed } = method(engine, seed);
      const cpuMs = (process.cpuUsage().user - from) / 1000;
      const figures = point === null ? null : truthOf(engine, point.settings, point.load);
      const feasible = figures !== null && isFeasible(engine, figures);
      const reached = figures === null ? 0 : figures.outputTokensPerSec / best.figures.outputTokensPerSec;
      results[name].push({ engine: n, kind: engine.kind, used, feasible, ratio: feasible ? reached : 0, confirmed });
      if (verbose && name === 'dyno tune')
        console.log(
          n,
          engine.kind,
          seed,
          percent(reached),
          feasible ? 'feasible' : 'BROKEN',
          confirmed ? 'confirmed' : 'unconfirmed',
          `${used} runs`,
          `${Math.round(cpuMs)} ms`,
          JSON.stringify(point?.settings),
          'best',
          JSON.stringify(best.point.settings),
          best.point.load.ratePerSec ?? '',
        );
    }
  }
}
const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
};
console.log(`${engines} engines from number ${first}, ${seeds} seed(s) each`);
console.log(['method', 'runs (mean)', 'median of optimum', 'worst tenth', 'truly feasible'].join(' | '));
for (const [name, list] of Object.entries(results)) {
  const ratios = list.map((one) => one.ratio).toSorted((a, b) => a - b);
  console.log(
    [
      name,
      (list.reduce((sum, one) => sum + one.used, 0) / list.length).toFixed(1),
      percent(median(ratios)),
      percent(ratios[Math.floor(ratios.length / 10)]),
      `${list.filter((one) => one.feasible).length} of ${list.length}`,
    ].join(' | '),
  );
}
if (results['dyno tune'].some((one) => one.used > runs)) throw new Error('more runs than allowed');
