// Every setting of a grid measured once on the server of a tune file (dyno restarts it, as the tune does), and where a tune's winner stands among them.
//   node bench/tune/grid.mjs TUNE.yaml --grid '{"max_num_seqs":[8,32],"max_num_batched_tokens":[512,2048]}' [--store DIR] [--winner tune.json]
//   node bench/tune/grid.mjs TUNE.yaml --measured DIR/ID/tune.json [--winner tune.json]        reads what was measured, under the limits that TUNE.yaml has now
// Prints the settings from the best to the worst that keep the limits, then those that do not, and where the winner stands.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const flag = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? null : process.argv[at + 1];
};
const file = process.argv[2];
const asked = parse(readFileSync(file, 'utf8'));
const measured = flag('measured') ?? (await measure(JSON.parse(flag('grid')), flag('store') ?? 'runs'));
tell(JSON.parse(readFileSync(measured, 'utf8')), flag('winner'));

/** Measures the grid as the arms of an experiment; the path of its document. */
async function measure(grid, store) {
  const settings = Object.entries(grid).reduce(
    (points, [name, values]) => points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
  if (typeof asked.load?.concurrency !== 'number' && typeof asked.load?.rate !== 'number')
    throw new Error('every setting has to have the same load: load.concurrency or load.rate as a number');
  const variants = Object.fromEntries(settings.map((one) => [Object.values(one).join(' '), one]));
  // An experiment has two rounds at least; it is ended when the first is done.
  const plan = { ...asked, name: 'grid', variants, repeats: 2 };
  mkdirSync(store, { recursive: true });
  const planned = join(store, 'grid.yaml');
  writeFileSync(planned, stringify(plan));
  const before = new Set(readdirSync(store));
  const child = spawn(process.execPath, [main, 'tune', planned, '--store', store], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for (let over = false; !over;) {
    over = await Promise.race([ended.then(() => true), new Promise((resolve) => setTimeout(resolve, 500, false))]);
    const folder = readdirSync(store).find(
      (name) => !before.has(name) && name.includes('grid') && name !== 'grid.yaml',
    );
    if (folder === undefined) continue;
    const done = readFileSync(join(store, folder, 'journal.ndjson'), 'utf8').split('"kind":"trial"').length - 1;
    if (done >= settings.length && !over) child.kill('SIGINT');
    if (over) return join(store, folder, 'tune.json');
  }
  throw new Error('dyno tune ended before it had a folder');
}

/** A limit as `ttft.mean<1500ms`. */
function limitOf(text) {
  const [, word, op, number, unit = ''] = /^([\w.]+)\s*(<=?|>=?)\s*([\d.]+)\s*(ms|s|%)?$/.exec(text);
  const value = Number(number) * (unit === 's' ? 1000 : unit === '%' ? 0.01 : 1);
  return { word, keeps: (figure) => (op.startsWith('<') ? figure <= value : figure >= value) };
}

function tell(document, winner) {
  const limits = [asked.slo ?? []].flat().map(limitOf);
  const { metric, direction } = document.objective;
  const sign = direction === 'most' ? 1 : -1;
  const rows = document.trials.map(({ settings, outcome, figures }) => {
    const known = outcome === 'ok' && figures[metric] !== null;
    const kept = known && limits.every(({ word, keeps }) => figures[word] != null && keeps(figures[word]));
    return { settings, outcome, figures, kept, worth: known ? sign * figures[metric] : -Infinity };
  });
  rows.sort((a, b) => Number(b.kept) - Number(a.kept) || b.worth - a.worth);
  const words = [...new Set([metric, ...limits.map(({ word }) => word)])];
  const shown = (value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : '–');
  console.log(['', ...Object.keys(rows[0].settings), ...words, 'keeps the limits'].join(' | '));
  rows.forEach(({ settings, outcome, figures, kept }, i) =>
    console.log(
      [
        i + 1,
        ...Object.values(settings),
        ...words.map((word) => shown(figures[word])),
        outcome === 'ok' ? (kept ? 'yes' : 'no') : outcome,
      ].join(' | '),
    ),
  );
  const [best] = rows;
  const feasible = rows.filter(({ kept }) => kept).length;
  console.log(
    `${feasible} of ${rows.length} keep the limits${feasible > 0 ? `; best: ${JSON.stringify(best.settings)}` : ''}`,
  );
  if (winner === null) return;
  const tune = JSON.parse(readFileSync(winner, 'utf8'));
  if (tune.best === null) return console.log(`the tune has no winner after ${tune.runs} runs`);
  const { settings, confirmed, objective } = tune.best;
  const at = rows.findIndex((row) => Object.keys(row.settings).every((name) => row.settings[name] === settings[name]));
  const part = (value) => `${((100 * value) / best.figures[metric]).toFixed(1)} % of the best of the grid`;
  const place =
    at < 0
      ? 'it is no setting of the grid'
      : `number ${at + 1} of ${rows.length}, ${rows[at].kept ? 'keeps' : 'DOES NOT keep'} the limits there, ${part(rows[at].figures[metric])}`;
  console.log(
    `the tune's winner after ${tune.runs} runs (${confirmed ? 'confirmed' : 'not confirmed'}): ${JSON.stringify(settings)}: ${place}; its own runs: ${shown(objective.mean)}, ${part(objective.mean)}`,
  );
}
