// Real runs of one server: fitted on some, the others predicted under the same arrivals, in virtual time.
//   node bench/sim/h200.mjs RUNS [--fit all|small|NAME,…|-NAME,…] [--profile FILE | --summaries] [--predict OTHER-RUNS] [--no-headers] [--set NAME=VALUE …]
// RUNS is a folder of run folders, or an archive of one. -NAME: all but these. --profile: nothing is fitted;
// --no-headers: fitted as from another client's files, which keep no times of headers and no look at the server;
// --summaries: as before there was a fit of runs. Errors of fitted runs are left out of the last lines, where others were predicted.
import { readFileSync } from 'node:fs';
import { runFolders } from './run-folders.mjs';
import { percent, sources } from './sources.mjs';

const { figuresOf, fitRuns, fitSweep, measuredRun, playRun, predictRun, usablePoints } = await sources();
const flag = (name, fallback = null) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : process.argv[at + 1];
};
/** Runs of a model of its own. */
const others = /^sm-/;
const small = ['sw-c1', 'sw-c4', 'sw-c32', 'dy-c16', 'mix-1024-64-c16'];
const shown = ['outputTokensPerSec', 'ttftMeanMs', 'ttftP99Ms', 'tpotMeanMs', 'latencyP50Ms'];
const read = (path) => runFolders(path, measuredRun).filter(({ name }) => !others.test(name));

const given = read(process.argv[2]);
const words = flag('fit', 'all');
const among = (list) => given.filter(({ name }) => list.some((word) => name === word || name.startsWith(`${word}-r`)));
const fitted =
  words === 'all'
    ? given
    : words === 'small'
      ? among(small)
      : words.startsWith('-')
        ? allBut(among(words.slice(1).split(',')))
        : among(words.split(','));
const predicted = flag('predict') === null ? given : read(flag('predict'));

/** Median and worst errors that are asked for: from all runs, and from the small ones. */
const bars = {
  outputTokensPerSec: words === 'small' ? [3, 12] : [1, 10],
  ttftMeanMs: words === 'small' ? [7, 20] : [6, 20],
  ttftP99Ms: words === 'small' ? [8, 20] : [6, 20],
  tpotMeanMs: words === 'small' ? [4, 15] : [2.5, 12],
  latencyP50Ms: words === 'small' ? [4, 15] : [2, 12],
};
const begun = process.cpuUsage();
const predict = predictor();
console.log(`${fitted.length} runs fitted in ${(process.cpuUsage(begun).user / 1e6).toFixed(1)} s of CPU`);
const errors = new Map(shown.map((name) => [name, []]));
let [inside, counted, missed] = [0, 0, []];
console.log('run'.padEnd(18), ...shown.map((name) => name.padStart(30)));
for (const run of predicted) {
  const truth = figuresOf(run);
  const { figures, warnings } = predict(run);
  const own = fitted.some(({ name }) => name === run.name);
  const scored = !own || fitted.length === predicted.length;
  const cells = shown.map((name) => {
    if (figures[name] === null) return 'not predicted'.padStart(30);
    const { value, interval } = figures[name];
    const error = value / truth[name] - 1;
    const holds = interval !== undefined && truth[name] >= interval[0] && truth[name] <= interval[1];
    if (scored) {
      errors.get(name).push(Math.abs(error));
      counted++;
      if (holds) inside++;
      if (100 * Math.abs(error) > bars[name][1] && warnings.length === 0) missed.push(`${run.name} ${name}`);
    }
    return `${truth[name].toFixed(1)} → ${value.toFixed(1)} ${percent(error)}${holds ? ' ' : '!'}`.padStart(30);
  });
  console.log(`${own ? '' : '* '}${run.name}`.padEnd(18), ...cells, warnings.map(({ en }) => en).join('; '));
}
console.log(
  `* = not fitted, ! = outside its 90 % interval; errors of ${fitted.length === predicted.length ? 'the fitted runs' : 'the others'}, median / worst (asked for):`,
);
for (const [name, list] of errors) {
  const sorted = list.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  console.log(`  ${name.padEnd(20)} ${percent(middle)} / ${percent(sorted.at(-1))}   (${bars[name].join(' / ')})`);
}
console.log(
  `${inside} of ${counted} inside their 90 % intervals; beyond what is asked for and not warned of: ${missed.join(', ') || 'none'}`,
);

function allBut(runs) {
  return given.filter((run) => !runs.includes(run));
}

/** How loads are predicted: by a fit of the runs, by one of their summaries, or by a profile. */
function predictor() {
  const bare = (profile) => (run) => {
    const figures = figuresOf(playRun(profile, run));
    return {
      figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, { value }])),
      warnings: [],
    };
  };
  if (flag('profile') !== null) return bare(JSON.parse(readFileSync(flag('profile'), 'utf8')));
  if (process.argv.includes('--summaries')) return bare(fitOfSummaries(fitted));
  const settings = { max_num_seqs: 256, max_num_batched_tokens: 8192, async_scheduling: true };
  for (const [at, word] of process.argv.entries()) {
    if (word !== '--set') continue;
    const [name, value] = process.argv[at + 1].split('=');
    settings[name] = JSON.parse(value);
  }
  const fit = fitRuns(process.argv.includes('--no-headers') ? fitted.map(withoutHeaders) : fitted, {
    scheduler: 'vllm-v1',
    settings,
    kv: null,
  });
  for (const { name, value, interval, known } of fit.constants)
    console.log(
      `  ${name.padEnd(14)} ${value.toPrecision(3)} (${interval.map((end) => end.toPrecision(3)).join(' … ')})${known ? '' : '  not identified'}`,
    );
  return (run) => predictRun(fit, run);
}

function withoutHeaders(run) {
  return { ...run, server: null, requests: run.requests.map((request) => ({ ...request, headersMs: null })) };
}

/** What dyno fit makes of the runs' summaries. */
function fitOfSummaries(runs) {
  const points = usablePoints(runs.map(({ summary }) => summary)).points;
  return fitSweep(points, { points: points.map((point) => String(point.concurrency)), maxBatchSize: 256, kv: null })
    .profile;
}
