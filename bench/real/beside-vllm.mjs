// dyno run beside vllm bench serve on one vLLM that is up: the same load by turns, means of ITL, TPOT and TTFT, and the number of gaps.
//   node bench/real/beside-vllm.mjs URL MODEL TOKENIZER 'VLLM COMMAND' [TURNS] [CONCURRENCY] [REQUESTS]
// VLLM COMMAND is what stands before `bench serve`, such as /srv/venv/bin/vllm. Give server and clients a core each (taskset).
// Exit 1 where a mean lies further from the other tool's than the turns of one tool lie apart, or the gaps are not as many.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const [url, model, tokenizer, vllm, turns = '3', concurrency = '4', requests = '80'] = process.argv.slice(2);
if (vllm === undefined) throw new Error("URL MODEL TOKENIZER 'VLLM COMMAND' [TURNS] [CONCURRENCY] [REQUESTS]");
const [input, output] = [128, 32];
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const folder = await mkdtemp(join(tmpdir(), 'beside-vllm-'));
const room = { maxBuffer: 2 ** 28, timeout: 600_000 };

async function ours(seed) {
  const words = [
    'run',
    url,
    '--api',
    'openai-completions',
    '--model',
    model,
    '--tokenizer',
    tokenizer,
    '--concurrency',
    concurrency,
    '-n',
    requests,
    '--warmup',
    concurrency,
  ];
  const lengths = [
    '--input-tokens',
    `${input}`,
    '--output-tokens',
    `${output}`,
    '--seed',
    `${seed}`,
    '--temperature',
    '0',
  ];
  const { stdout } = await run(
    process.execPath,
    [main, ...words, ...lengths, '--json', '--lenient', '--no-text', '--store', folder],
    room,
  );
  const d = JSON.parse(stdout);
  return {
    ttft: d.ttftMs.mean,
    tpot: d.tpotMs.mean,
    itl: d.itlMs.mean,
    gaps: d.itlMs.n,
    ok: d.counts.ok,
    inputTokens: d.inputTokens.mean,
  };
}

async function theirs(seed) {
  const [command, ...before] = vllm.split(' ');
  const words = [
    'bench',
    'serve',
    '--backend',
    'vllm',
    '--base-url',
    url,
    '--model',
    model,
    '--tokenizer',
    tokenizer,
    '--dataset-name',
    'random',
  ];
  const lengths = [
    '--random-input-len',
    `${input}`,
    '--random-output-len',
    `${output}`,
    '--ignore-eos',
    '--seed',
    `${seed}`,
    '--temperature',
    '0',
  ];
  const load = ['--num-prompts', requests, '--max-concurrency', concurrency, '--num-warmups', concurrency];
  const file = `${seed}.json`;
  const kept = [
    '--save-result',
    '--save-detailed',
    '--result-dir',
    folder,
    '--result-filename',
    file,
    '--disable-tqdm',
  ];
  await run(command, [...before, ...words, ...lengths, ...load, ...kept], room);
  const d = JSON.parse(await readFile(join(folder, file), 'utf8'));
  const gaps = d.itls.reduce((sum, one) => sum + one.length, 0);
  return {
    ttft: d.mean_ttft_ms,
    tpot: d.mean_tpot_ms,
    itl: d.mean_itl_ms,
    gaps,
    ok: d.completed,
    inputTokens: d.total_input_tokens / d.completed,
  };
}

const told = { dyno: [], 'vllm bench serve': [] };
console.log(
  '| turn | client | answered | prompt tokens | gaps | ITL mean | TPOT mean | TTFT mean |\n|---|---|---|---|---|---|---|---|',
);
for (let turn = 1; turn <= Number(turns); turn++) {
  const seed = Math.floor(Math.random() * 1e9);
  const order = [
    ['dyno', () => ours(seed)],
    ['vllm bench serve', () => theirs(seed + 1)],
  ];
  for (const [name, measure] of turn % 2 === 1 ? order : order.toReversed()) {
    const one = await measure();
    told[name].push(one);
    console.log(
      `| ${turn} | ${name} | ${one.ok} | ${one.inputTokens.toFixed(1)} | ${one.gaps} | ${one.itl.toFixed(2)} | ${one.tpot.toFixed(2)} | ${one.ttft.toFixed(1)} |`,
    );
  }
}
await rm(folder, { recursive: true });
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
let failed = false;
for (const key of ['itl', 'tpot', 'ttft']) {
  const [a, b] = Object.values(told).map((turnsOf) => turnsOf.map((one) => one[key]));
  const spread = Math.max(...[a, b].map((values) => Math.max(...values) - Math.min(...values)));
  const apart = Math.abs(mean(a) - mean(b));
  failed ||= apart > spread;
  console.log(
    `${key}: ${mean(a).toFixed(2)} and ${mean(b).toFixed(2)}, ${(100 * (mean(a) / mean(b) - 1)).toFixed(1)} % apart; turns of one tool lie up to ${((100 * spread) / mean(b)).toFixed(1)} % apart: ${apart > spread ? 'MORE THAN NOISE' : 'within noise'}`,
  );
}
const each = Object.values(told).map((turnsOf) => turnsOf.map(({ gaps, ok }) => gaps / ok));
console.log(`gaps an answer: ${each.map((values) => values.map((value) => value.toFixed(3)).join(' ')).join(' | ')}`);
// Several tokens may come in one chunk where the client is read late; then a gap is missing in that client alone.
failed ||= each[0].some((value, i) => Math.abs(value - each[1][i]) > 0.01 * value);
process.exitCode = failed ? 1 : 0;
