// Loads of a live server, kept as run folders: a probe's profile, a sweep of one length, one of mixed lengths, and eight other loads twice.
//   node bench/real/loads.mjs URL MODEL TOKENIZER OUT [LARGEST IN FLIGHT]
// Fresh prompts each time. OUT/one, OUT/mixed, OUT/first and OUT/again are then fitted and predicted:
//   node bench/sim/h200.mjs OUT/one --predict OUT/first --set max_num_seqs=32 …        (--profile OUT/probe.json for the probe)
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const [url, model, tokenizer, out, largest = '32'] = process.argv.slice(2);
if (out === undefined) throw new Error('URL MODEL TOKENIZER OUT [LARGEST IN FLIGHT]');
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const most = Number(largest);
await mkdir(out, { recursive: true });

const called = async (...words) => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], {
    maxBuffer: 2 ** 28,
    timeout: 600_000,
  });
  return JSON.parse(stdout);
};

/** One load, kept in a store of its own kind; its requests per second. */
async function load(store, name, input, output, words) {
  const lengths = ['--input-tokens', input, '--output-tokens', output, '--ignore-eos'];
  const kept = ['--label', name, '--store', join(out, store), '--json', '--lenient', '--no-text'];
  const api = ['--api', 'openai-completions', '--model', model, '--tokenizer', tokenizer];
  const summary = await called('run', url, ...api, ...lengths, ...words, ...kept);
  const cells = [
    summary.counts.ok,
    summary.requestsPerSec,
    summary.outputTokensPerSec,
    summary.ttftMs.mean,
    summary.tpotMs.mean,
  ];
  console.log(store, name, ...cells.map((cell) => Number(cell.toPrecision(4))));
  return summary.requestsPerSec;
}

/** A closed loop of some waves: enough for a mean, short enough for a slow server. */
const closed = (users) => [
  '--concurrency',
  `${users}`,
  '-n',
  `${Math.max(24, 5 * users)}`,
  '--warmup',
  `${Math.max(4, users)}`,
];

const begun = Date.now();
const probe = await called('fit', url, '--probe', '--model', model, '--tokenizer', tokenizer, '--json');
await writeFile(join(out, 'probe.json'), JSON.stringify(probe.sweeps[0].profile, null, 2));
console.log(`probe: ${((Date.now() - begun) / 1000).toFixed(0)} s`);

for (const users of [1, 4, most / 2, most]) await load('one', `one-c${users}`, '128', '32', closed(users));
for (const users of [1, 4, most / 2, most]) await load('mixed', `mixed-c${users}`, '16..400', '8..64', closed(users));

for (const store of ['first', 'again']) {
  await load(store, '256-16-c8', '256', '16', closed(most / 4));
  const full = await load(store, '32-96-c16', '32', '96', closed(most / 2));
  await load(store, '512-32-c4', '512', '32', closed(4));
  await load(store, '16-128-full', '16', '128', closed(most));
  await load(store, '128-64-c2', '128', '64', closed(2));
  await load(store, '20..300-8..80-c12', '20..300', '8..80', closed(12));
  for (const share of [0.4, 0.7])
    await load(store, `32-96-open-${share}`, '32', '96', [
      '--rate',
      (share * full).toFixed(2),
      '--duration',
      '20s',
      '--warmup',
      '4',
    ]);
}
