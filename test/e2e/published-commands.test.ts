import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, start } from './dyno.ts';
import type { Done, Running } from './dyno.ts';

/**
 * Commands as they stand on pages that people follow: over several lines, through a shell, with `dyno as` in front. Only
 * host, port and paths are changed, and the number of requests and levels unless LLMDYNO_LONG is set.
 */
const long = process.env['LLMDYNO_LONG'] === '1';
const main = join(import.meta.dirname, '../../dist/cli/main.js');

let folder: string;
let plain: { url: string; running: Running };
let tls: { url: string; management: string; running: Running };

beforeAll(async () => {
  folder = await emptyFolder();
  await mkdir(join(folder, 'datasets'));
  await mkdir(join(folder, 'GSM8K'));
  const rows = (count: number, of: (i: number) => unknown): string =>
    Array.from({ length: count }, (_, i) => JSON.stringify(of(i))).join('\n');
  const file = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await file(
    'datasets/open_qa.jsonl',
    rows(60, (i) => ({ question: `第 ${i} 个问题：为什么天空是蓝色的？` })),
  );
  await file(
    'datasets/code.jsonl',
    rows(9, (i) => ({ question: `Write function number ${i}.`, output: '…' })),
  );
  await file('datasets/long.jsonl', JSON.stringify({ question: 'A long text. '.repeat(500) }));
  await file(
    'GSM8K/test.jsonl',
    rows(40, (i) => ({ question: `Tom has ${i} apples. How many?`, answer: `#### ${i}` })),
  );
  const talks = Array.from({ length: 50 }, (_, i) => ({
    id: String(i),
    conversations: [
      { from: 'human', value: `Explain item ${i} with an example and a reason.` },
      { from: 'gpt', value: 'Here is an answer of several words. '.repeat(2 + (i % 5)) },
    ],
  }));
  await file('sharegpt.json', JSON.stringify(talks));
  const first = start(['engine', '--port', '0', '--speed', '200', '--model', 'qwen', '--model', 'qwen2.5']);
  plain = { url: (await first.until('out', /\n/)).trim(), running: first };
  const ports = ['--tls', '--management-port', '0', '--metrics-port', '0'];
  const second = start(['engine', '--port', '0', '--speed', '200', '--model', 'LLaMa3-8B', ...ports]);
  const [url, management] = (await second.until('out', /metrics .*\n/)).split('\n');
  tls = { url: url!, management: management!.replace('management ', ''), running: second };
});

afterAll(async () => {
  for (const { running } of [plain, tls]) {
    running.child.kill('SIGTERM');
    await running.done;
  }
});

/** Through a shell, as it is typed. */
function shell(command: string): Promise<Done> {
  const typed = command
    .replaceAll('http://127.0.0.1:PORT', plain.url)
    .replaceAll('PLAINPORT', new URL(plain.url).port)
    .replaceAll('https://{ipAddress}:{port}', tls.url)
    .replaceAll('https://{managementIpAddress}:{managementPort}', tls.management);
  const child = spawn('/bin/sh', ['-c', `"$NODE" "$MAIN" as --lenient ${typed}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], LANG: 'C', NODE: process.execPath, MAIN: main },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const done: Done = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (done.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (done.err += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...done, code })));
}

const n = long ? 1000 : 20;
const levels = (all: readonly number[]): string =>
  (long ? all : all.slice(0, 2)).map((level) => `    --parallels ${level} \\\n`).join('');
const perf = (data: string, max: number, parallel: number, count: number): string => `evalscope perf \\
    --api openai \\
    --url 'http://127.0.0.1:PORT/v1/chat/completions' \\
    --model 'qwen' \\
    --dataset openqa \\
    --dataset-path './datasets/${data}.jsonl' \\
    --max-prompt-length ${max} \\
    --stop '<|im_end|>' \\
    --read-timeout=120 \\
    --parallel ${parallel} \\
    -n ${count}`;
const wrapper = (model: string, data: string, more: string, parallels: readonly number[], count: number): string =>
  `evalscope-perf http://127.0.0.1:PORT/v1/chat/completions ${model} \\
    ./datasets/${data}.jsonl \\
${more}    --read-timeout=120 \\
${levels(parallels)}    --n ${count}`;
const length = '    --max-prompt-length 8000 \\\n';

const commands: readonly (readonly [what: string, command: string, succeeded: RegExp])[] = [
  ['evalscope perf, 100 at a time', perf('open_qa', 8000, 100, n), new RegExp(`Succeed requests: ${n}\\b`)],
  ['evalscope perf, one', perf('open_qa', 8000, 1, 1), /Succeed requests: 1\b/],
  ['evalscope perf, code', perf('code', 4000, 1, 1), /Succeed requests: 1\b/],
  ['evalscope-perf, one long prompt', wrapper('qwen', 'long', length, [1], 1), /'Failed requests': 0\.0/],
  ['evalscope-perf, one level', wrapper('qwen2.5', 'open_qa', length, [128], n), /'Failed requests': 0\.0/],
  [
    'evalscope-perf, eight levels',
    wrapper('qwen2.5', 'open_qa', '', [8, 16, 32, 64, 100, 128, 150, 200], n),
    /parallel=16[^]*'Failed requests': 0\.0/,
  ],
  [
    'evalscope-perf, ten levels',
    wrapper('qwen2.5', 'open_qa', '', [8, 16, 32, 64, 100, 128, 150, 200, 256, 300], n),
    /parallel=16[^]*'Failed requests': 0\.0/,
  ],
  [
    'evalscope-perf, under numactl',
    `numactl -N0 -m0 ${wrapper('qwen2.5', 'open_qa', length, [100], n)}`,
    /'Failed requests': 0\.0/,
  ],
  [
    'benchmark_serving.py of 2025, a thousand prompts by default',
    `python3 ./benchmarks/benchmark_serving.py --backend vllm \\
    --model qwen2.5 \\
    --tokenizer /data/models/Qwen2.5-72B-Instruct \\
    --dataset-name "sharegpt" \\
    --dataset-path "sharegpt.json" \\
    --base-url http://127.0.0.1:PORT --trust-remote-code`,
    /Successful requests:\s+1000\b/,
  ],
  [
    'benchmark_serving.py of 2023',
    `python benchmark_serving.py --dataset sharegpt.json --tokenizer /data/SUS-Chat-34B/ --request-rate 32 --num-prompts ${long ? 1000 : 40} --port PLAINPORT`,
    /^Total time: [\d.]+ s\nThroughput: [\d.]+ requests\/s\n/,
  ],
  [
    "MindIE's benchmark",
    `benchmark \\
--DatasetPath "./GSM8K" \\
--DatasetType "gsm8k" \\
--ModelName LLaMa3-8B \\
--ModelPath "/models/LLaMa3-8B" \\
--TestType client \\
--Http https://{ipAddress}:{port} \\
--ManagementHttp https://{managementIpAddress}:{managementPort}  \\
--Concurrency 1000 \\
--TaskKind stream \\
--Tokenizer True \\
--MaxOutputLen 512`,
    /Total \|\s+40\[ 100\.0% \]/,
  ],
  [
    "MindIE's benchmark, whole answers: first token and decode times are the server's",
    `benchmark --DatasetPath "./GSM8K" --DatasetType "gsm8k" --ModelName LLaMa3-8B --ModelPath "/models/LLaMa3-8B" --TestType client --Http https://{ipAddress}:{port} --Concurrency 10 --TaskKind text --Tokenizer True --MaxOutputLen 32`,
    /FirstTokenTime \|\s+[1-9][\d.]* ms[^]*DecodeTime \|\s+[1-9][\d.]* ms/,
  ],
];

describe('commands as published, over several lines', () => {
  test.each(commands)('%s', async (_, command, succeeded) => {
    const done = await shell(command);
    expect(done.err).not.toMatch(/^error/m);
    expect(done.code).toBe(0);
    expect(done.out).toMatch(succeeded);
  });
});
