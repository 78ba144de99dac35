// A synthetic engine as a problem of the tune room, and its trials, without processes: what the bench and the tests share.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { measure } from './engines.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Rooms have names in common: of the others only what is asked for.
const wanted = `export * from './src/advice/tune/index.ts';
export { closedRun, playRun } from './src/advice/fit/index.ts';
export { builtinProfile } from './src/engine/sim/index.ts';`;

/** Exports of the tune room and of what stands in for a server, bundled from source, and trialOf over them. */
export async function tuneSources() {
  const folder = mkdtempSync(join(tmpdir(), 'llmdyno-bench-'));
  const outfile = join(folder, 'tune.mjs');
  await build({
    stdin: { contents: wanted, resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  try {
    const found = await import(pathToFileURL(outfile).href);
    return { ...found, trialOf: (problem, step, engine, number) => trialOf(found, problem, step, engine, number) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The search problem of an engine. */
export function problemOf({ engineFamily, readSlos, roleOf }, engine, budgetRuns, seed) {
  const knob =
    (where) =>
    ([name, values]) => ({
      name,
      values,
      ordered: typeof values[0] === 'number',
      role: roleOf(name),
      where,
      start: null,
      raise: null,
    });
  const knobs = [
    ...Object.entries(engine.knobs).map(knob('server')),
    ...Object.entries(engine.loadKnobs).map(knob('load')),
  ];
  const { slos } = readSlos(engine.slos.map(({ word, limit }) => `${word}<${limit}ms`));
  const fixedLoad =
    engine.concurrency === null
      ? []
      : [
          {
            name: 'concurrency',
            where: 'load',
            whole: true,
            expression: { text: String(engine.concurrency), names: [] },
          },
        ];
  return {
    space: { knobs, derived: fixedLoad, fixed: {}, requires: [] },
    objective: { word: 'outputTokensPerSec', direction: 'most', pricePerHour: null },
    slos,
    budgetRuns,
    confirmRuns: 2,
    family: engineFamily(
      knobs,
      knobs.map(({ name }) => name),
      null,
    ),
    lengths: null,
    kv: null,
    freeLoad: false,
    seed,
  };
}

function trialOf({ completeSummary, figuresOf }, problem, step, engine, number) {
  const summary = completeSummary(
    measure(engine, step.point.settings, step.point.load, step.seed),
    step.point.load,
    `run-${number}`,
  );
  return {
    number,
    phase: step.phase,
    variant: null,
    settings: step.point.settings,
    load: step.point.load,
    seed: step.seed,
    outcome: 'ok',
    cause: null,
    figures: figuresOf(problem.objective, problem.slos, summary),
    predicted: step.predicted,
    summary,
    runId: null,
    restarted: true,
    startedAt: null,
    durationMs: null,
  };
}
