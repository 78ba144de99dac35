import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foreignTools } from '../../src/cli/as/find-tool.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { recordingServer } from './recording-server.ts';
import type { Recorded } from './recording-server.ts';

let server: Awaited<ReturnType<typeof recordingServer>>;
let folder: string;

beforeAll(async () => {
  server = await recordingServer();
  folder = await mkdtemp(join(tmpdir(), 'llmdyno-as-'));
  const lines = ['short', 'a question of middle length', 'a much longer question that goes on and on'];
  await writeFile(join(folder, 'qa.jsonl'), lines.map((question) => JSON.stringify({ question })).join('\n'));
  await writeFile(join(folder, 'custom.jsonl'), lines.map((prompt) => JSON.stringify({ prompt })).join('\n'));
  await writeFile(
    join(folder, 'gsm8k.jsonl'),
    lines.map((question) => JSON.stringify({ question, answer: '#### 1' })).join('\n'),
  );
  await writeFile(join(folder, 'template.json'), '{"top_p": 0.25, "messages": []}');
  const talk = {
    conversations: [{ value: 'one two three four five six' }, { value: 'one two three four five six seven eight' }],
  };
  await writeFile(join(folder, 'sharegpt.json'), JSON.stringify([talk, talk]));
});
afterAll(() => server.close());

interface Ran {
  code: number;
  out: string;
  err: string;
  seen: Recorded[];
}

async function as(words: readonly string[]): Promise<Ran> {
  let [out, err] = ['', ''];
  server.seen.length = 0;
  const code = await runCli({
    out: (text) => (out += text),
    err: (text) => (err += text),
    outIsTty: false,
    errIsTty: false,
    columns: 80,
    env: { DYNO_STORE: join(folder, 'store'), LANG: 'C' },
    argv: ['as', ...words],
    onInterrupt: () => () => {},
  });
  // What is asked before the load is not part of it.
  const load = server.seen.filter(({ path, body }) => path !== '/tokenize' && !JSON.stringify(body).includes('"Hi"'));
  return { code, out, err, seen: load };
}

const bodies = ({ seen }: Ran): Record<string, unknown>[] => seen.map(({ body }) => body);
const first = (ran: Ran): Record<string, unknown> => bodies(ran)[0]!;
const said = (ran: Ran): unknown[] =>
  bodies(ran).map((body) => (body['messages'] as { content: string }[])[0]!.content);
const most = (ran: Ran): number => Math.max(...ran.seen.map(({ inFlight }) => inFlight));

type Shown = readonly [flag: string, words: string, effect: (ran: Ran) => unknown, expected: unknown];

/** Runs a table: each flag with the effect that it has on what is sent or printed. */
function table(tool: string, base: () => string[], rows: readonly Shown[], elsewhere: readonly string[]): void {
  describe(`the flags of ${tool}`, () => {
    test.each(rows.map((row) => [row[0], row] as const))('%s', async (_, [, words, effect, expected]) => {
      const ran = await as([
        ...base(),
        ...words
          .split(' ')
          .filter((word) => word !== '')
          .map((word) => word.replaceAll('DIR', folder)),
      ]);
      expect(ran.err).not.toMatch(/^error/m);
      expect(ran.code).toBe(0);
      expect(effect(ran)).toEqual(expected);
    });

    test('every flag that is obeyed is shown here or in the tests named', () => {
      const { table: flags } = foreignTools.find(({ called }) => called.join(' ') === tool)!;
      const shown = new Set([...rows.map(([flag]) => flag), ...elsewhere]);
      expect(Object.keys(flags.obeyed).filter((flag) => !shown.has(flag))).toEqual([]);
    });
  });
}

table(
  'evalscope perf',
  () => [
    'evalscope',
    'perf',
    '--url',
    `${server.url}/v1/chat/completions`,
    '--model',
    'm',
    '--dataset',
    'openqa',
    '--dataset-path',
    join(folder, 'qa.jsonl'),
    '--outputs-dir',
    join(folder, 'outputs'),
  ],
  [
    ['--model', '-n 1', (ran) => first(ran)['model'], 'm'],
    ['--url', '-n 1', (ran) => ran.seen[0]!.path, '/v1/chat/completions'],
    ['--number', '-n 5', (ran) => ran.seen.length, 5],
    ['--dataset', '-n 3', said, ['short', 'a question of middle length', 'a much longer question that goes on and on']],
    ['--dataset-path', '-n 1', said, ['short']],
    ['--max-prompt-length', '-n 2 --max-prompt-length 10', said, ['short', 'short']],
    ['--min-prompt-length', '-n 1 --min-prompt-length 30', said, ['a much longer question that goes on and on']],
    ['--dataset-offset', '-n 1 --dataset-offset 1', said, ['a question of middle length']],
    ['--prompt', '-n 2 --prompt hello', said, ['hello', 'hello']],
    ['--parallel', '-n 8 --parallel 4', most, 4],
    ['--api', '-n 1 --api openai', (ran) => 'messages' in first(ran), true],
    ['--api-key', '-n 1 --api-key sk-x', (ran) => ran.seen[0]!.headers['authorization'], 'Bearer sk-x'],
    [
      '--headers',
      '-n 1 --headers x-a=1 x-b=2',
      ({ seen }) => [seen[0]!.headers['x-a'], seen[0]!.headers['x-b']],
      ['1', '2'],
    ],
    ['--stop', '-n 1 --stop END STOP', (ran) => first(ran)['stop'], ['END', 'STOP']],
    ['--stop-token-ids', '-n 1 --stop-token-ids 1 2', (ran) => first(ran)['stop_token_ids'], [1, 2]],
    ['--max-tokens', '-n 1 --max-tokens 7', (ran) => first(ran)['max_tokens'], 7],
    ['--min-tokens', '-n 1 --min-tokens 3', (ran) => first(ran)['min_tokens'], 3],
    ['--temperature', '-n 1 --temperature 0.5', (ran) => first(ran)['temperature'], 0.5],
    ['--top-p', '-n 1 --top-p 0.9', (ran) => first(ran)['top_p'], 0.9],
    ['--top-k', '-n 1 --top-k 5', (ran) => first(ran)['top_k'], 5],
    ['--frequency-penalty', '-n 1 --frequency-penalty 0.1', (ran) => first(ran)['frequency_penalty'], 0.1],
    ['--repetition-penalty', '-n 1 --repetition-penalty 1.1', (ran) => first(ran)['repetition_penalty'], 1.1],
    ['--logprobs', '-n 1 --logprobs', (ran) => first(ran)['logprobs'], true],
    ['--n-choices', '-n 1 --n-choices 2', (ran) => first(ran)['n'], 2],
    ['--seed', '-n 1 --seed 9', (ran) => first(ran)['seed'], 9],
    ['--extra-args', '-n 1 --extra-args {"a":1}', (ran) => first(ran)['a'], 1],
    ['--query-template', '-n 1 --query-template @DIR/template.json', (ran) => first(ran)['top_p'], 0.25],
    ['--stream', '-n 1 --stream', (ran) => first(ran)['stream'], true],
    ['--no-stream', '-n 1 --no-stream', (ran) => first(ran)['stream'], undefined],
    [
      '--warmup-num',
      '-n 2 --warmup-num 3',
      (ran) => [ran.seen.length, /Total requests: (\d+)/.exec(ran.out)![1]],
      [5, '2'],
    ],
    ['--open-loop', '-n 6 --open-loop --rate 400', (ran) => / Number of concurrency: (.*)/.exec(ran.out)![1], '-1'],
    ['--rate', '-n 4 --rate 200 --parallel 2', (ran) => ran.seen.length, 4],
    ['--no-test-connection', '-n 1 --no-test-connection', () => server.seen.length, 1],
    [
      '--sleep-interval',
      '--parallel 1 2 -n 1 1 --sleep-interval 0',
      (ran) => ran.out.match(/Benchmarking summary/g)!.length,
      2,
    ],
    [
      '--prefix-length',
      '-n 2 --dataset random --min-prompt-length 4 --max-prompt-length 5 --prefix-length 6',
      (ran) => new Set(said(ran).map((text) => String(text).slice(0, 12))).size,
      1,
    ],
  ],
  // Timeouts and durations need a server that stalls (test/contract/faults); files are read in test/e2e/as.
  [
    '--connect-timeout',
    '--read-timeout',
    '--total-timeout',
    '--duration',
    '--name',
    '--outputs-dir',
    '--no-timestamp',
    '--tokenizer-path',
  ],
);

table(
  'vllm bench serve',
  () => [
    'vllm',
    'bench',
    'serve',
    '--base-url',
    server.url,
    '--model',
    'm',
    '--dataset-name',
    'custom',
    '--dataset-path',
    join(folder, 'custom.jsonl'),
    '--disable-shuffle',
  ],
  [
    ['--base-url', '--num-prompts 1', (ran) => ran.seen[0]!.path, '/v1/completions'],
    ['--endpoint', '--num-prompts 1 --endpoint /v2/completions', (ran) => ran.seen[0]!.path, '/v2/completions'],
    [
      '--backend',
      '--num-prompts 1 --backend openai-chat --endpoint /v1/chat/completions',
      (ran) => 'messages' in first(ran),
      true,
    ],
    ['--model', '--num-prompts 1', (ran) => first(ran)['model'], 'm'],
    ['--served-model-name', '--num-prompts 1 --served-model-name other', (ran) => first(ran)['model'], 'other'],
    ['--num-prompts', '--num-prompts 4', (ran) => ran.seen.length, 4],
    [
      '--disable-shuffle',
      '--num-prompts 2',
      (ran) => bodies(ran).map((body) => body['prompt']),
      ['short', 'a question of middle length'],
    ],
    ['--no-oversample', '--num-prompts 9 --no-oversample', (ran) => ran.seen.length, 3],
    ['--max-concurrency', '--num-prompts 8 --max-concurrency 2', most, 2],
    ['--custom-output-len', '--num-prompts 1 --custom-output-len 33', (ran) => first(ran)['max_tokens'], 33],
    ['--output-len', '--num-prompts 1 --output-len 34', (ran) => first(ran)['max_tokens'], 34],
    ['--ignore-eos', '--num-prompts 1 --ignore-eos', (ran) => first(ran)['ignore_eos'], true],
    ['--temperature', '--num-prompts 1 --temperature 0.3', (ran) => first(ran)['temperature'], 0.3],
    ['--top-p', '--num-prompts 1 --top-p 0.3', (ran) => first(ran)['top_p'], 0.3],
    ['--top-k', '--num-prompts 1 --top-k 3', (ran) => first(ran)['top_k'], 3],
    ['--min-p', '--num-prompts 1 --min-p 0.1', (ran) => first(ran)['min_p'], 0.1],
    ['--frequency-penalty', '--num-prompts 1 --frequency-penalty 1', (ran) => first(ran)['frequency_penalty'], 1],
    ['--presence-penalty', '--num-prompts 1 --presence-penalty 1', (ran) => first(ran)['presence_penalty'], 1],
    [
      '--repetition-penalty',
      '--num-prompts 1 --repetition-penalty 1.2',
      (ran) => first(ran)['repetition_penalty'],
      1.2,
    ],
    ['--logprobs', '--num-prompts 1 --logprobs 3', (ran) => first(ran)['logprobs'], 3],
    ['--extra-body', '--num-prompts 1 --extra-body {"a":2}', (ran) => first(ran)['a'], 2],
    [
      '--chat-template-kwargs',
      '--num-prompts 1 --chat-template-kwargs {"b":3}',
      (ran) => first(ran)['chat_template_kwargs'],
      { b: 3 },
    ],
    ['--header', '--num-prompts 1 --header X-A=1', (ran) => ran.seen[0]!.headers['x-a'], '1'],
    ['--request-rate', '--num-prompts 3 --request-rate 100', (ran) => /RPS\):\s+([\d.]+)/.exec(ran.out)![1], '100.00'],
    [
      '--burstiness',
      '--num-prompts 3 --request-rate 100 --burstiness 2',
      (ran) => /Burstiness factor: (.*)/.exec(ran.out)![1],
      '2.0 (Gamma distribution)',
    ],
    [
      '--num-warmups',
      '--num-prompts 2 --num-warmups 3',
      (ran) => [ran.seen.length, /Successful requests:\s+(\d+)/.exec(ran.out)![1]],
      [5, '2'],
    ],
    [
      '--percentile-metrics',
      '--num-prompts 2 --percentile-metrics e2el',
      (ran) => [ran.out.includes('E2EL'), ran.out.includes('TTFT')],
      [true, false],
    ],
    [
      '--metric-percentiles',
      '--num-prompts 2 --metric-percentiles 25,50',
      (ran) => ran.out.match(/P\d+ TTFT/g),
      ['P25 TTFT', 'P50 TTFT'],
    ],
    [
      '--goodput',
      '--num-prompts 2 --goodput e2el:0.001',
      (ran) => /goodput \(req\/s\):\s+([\d.]+)/.exec(ran.out)![1],
      '0.00',
    ],
    [
      '--random-input-len',
      '--num-prompts 1 --dataset-name random --random-input-len 9 --random-output-len 4',
      (ran) => String(first(ran)['prompt']).trim().split(' ').length,
      9,
    ],
    [
      '--random-output-len',
      '--num-prompts 1 --dataset-name random --random-input-len 9 --random-output-len 4',
      (ran) => [first(ran)['max_tokens'], first(ran)['ignore_eos']],
      [4, true],
    ],
    [
      '--input-len',
      '--num-prompts 1 --dataset-name random --input-len 7',
      (ran) => String(first(ran)['prompt']).trim().split(' ').length,
      7,
    ],
    [
      '--random-range-ratio',
      '--num-prompts 20 --dataset-name random --random-input-len 4 --random-output-len 10 --random-range-ratio 0.5',
      (ran) => bodies(ran).every((body) => Number(body['max_tokens']) >= 5 && Number(body['max_tokens']) <= 15),
      true,
    ],
    [
      '--random-prefix-len',
      '--num-prompts 3 --dataset-name random --random-input-len 4 --random-prefix-len 6',
      (ran) => new Set(bodies(ran).map((body) => String(body['prompt']).slice(0, 10))).size,
      1,
    ],
    [
      '--prefix-repetition-num-prefixes',
      '--num-prompts 12 --dataset-name prefix_repetition --prefix-repetition-num-prefixes 2 --prefix-repetition-prefix-len 8 --prefix-repetition-suffix-len 4 --prefix-repetition-output-len 3',
      (ran) => new Set(bodies(ran).map((body) => String(body['prompt']).slice(0, 12))).size <= 2,
      true,
    ],
    [
      '--prefix-repetition-output-len',
      '--num-prompts 1 --dataset-name prefix_repetition --prefix-repetition-output-len 3',
      (ran) => first(ran)['max_tokens'],
      3,
    ],
    [
      '--sharegpt-output-len',
      '--num-prompts 1 --dataset-name sharegpt --dataset-path DIR/sharegpt.json --sharegpt-output-len 21',
      (ran) => first(ran)['max_tokens'],
      21,
    ],
    [
      '--dataset',
      '--num-prompts 1 --dataset-name sharegpt --dataset-path DIR/sharegpt.json',
      (ran) => first(ran)['prompt'],
      'one two three four five six',
    ],
  ],
  // Files and names in test/e2e/as; host and port in its 2023 test; TLS in test/contract/reach; the older script's below.
  [
    '--host',
    '--port',
    '--dataset-name',
    '--dataset-path',
    '--tokenizer',
    '--seed',
    '--best-of',
    '--insecure',
    '--save-result',
    '--save-detailed',
    '--append-result',
    '--metadata',
    '--label',
    '--result-dir',
    '--result-filename',
    '--prefix-repetition-prefix-len',
    '--prefix-repetition-suffix-len',
  ],
);

table(
  'benchmark',
  () => [
    'benchmark',
    '--DatasetPath',
    join(folder, 'gsm8k.jsonl'),
    '--DatasetType',
    'gsm8k',
    '--ModelName',
    'm',
    '--ModelPath',
    folder,
    '--TestType',
    'openai',
    '--Http',
    server.url,
    '--WarmupSize',
    '0',
    '--SavePath',
    join(folder, 'instance'),
  ],
  [
    ['--TestType', '', (ran) => ran.seen[0]!.path, '/v1/chat/completions'],
    ['--Http', '', (ran) => ran.seen.length, 3],
    ['--ModelName', '', (ran) => first(ran)['model'], 'm'],
    ['--DatasetType', '', said, ['short', 'a question of middle length', 'a much longer question that goes on and on']],
    ['--RequestCount', '--RequestCount 2', (ran) => ran.seen.length, 2],
    ['--MaxOutputLen', '--MaxOutputLen 9', (ran) => first(ran)['max_tokens'], 9],
    ['--MaxInputLen', '--MaxInputLen 2', (ran) => said(ran)[2], 'a much'],
    ['--TaskKind', '--TaskKind text', (ran) => first(ran)['stream'], undefined],
    ['--Concurrency', '--Concurrency 2', (ran) => / Concurrency \|\s+(\d+)/.exec(ran.out)![1], '2'],
    ['--DoSampling', '--DoSampling True', (ran) => first(ran)['temperature'], undefined],
    ['--SamplingParams', '--SamplingParams {"top_p":0.7}', (ran) => first(ran)['top_p'], 0.7],
    ['--WarmupSize', '--WarmupSize 2', (ran) => ran.seen.length, 5],
    ['--RequestRate', '--RequestRate 90,95', (ran) => ran.seen.length, 6],
    ['--Distribution', '--RequestRate 90 --Distribution poisson', (ran) => ran.seen.length, 3],
    ['--TestAccuracy', '--TestAccuracy True', (ran) => /accuracy \|\s+(\S+)/.exec(ran.out)![1], '0.0%'],
  ],
  [
    '--ManagementHttp',
    '--ModelPath',
    '--DatasetPath',
    '--Tokenizer',
    '--RequestNum',
    '--RequestTimeOut',
    '--SavePath',
    '--SyntheticConfigPath',
  ],
);

test('prompts are mixed by the seed unless told otherwise, each once before any comes again', async () => {
  const order = async (...more: string[]): Promise<unknown[]> => {
    const words = ['vllm', 'bench', 'serve', '--base-url', server.url, '--model', 'm', '--dataset-name', 'custom'];
    const ran = await as([
      ...words,
      '--dataset-path',
      join(folder, 'custom.jsonl'),
      '--num-prompts',
      '3',
      '--max-concurrency',
      '1',
      ...more,
    ]);
    return bodies(ran).map((body) => body['prompt']);
  };
  const plain = await order('--disable-shuffle');
  const mixed: unknown[][] = [];
  for (const seed of ['1', '2', '3', '4', '5', '6']) mixed.push(await order('--seed', seed));
  for (const each of mixed) expect(new Set(each)).toEqual(new Set(plain));
  expect(new Set(mixed.map((each) => each.join('|'))).size).toBeGreaterThan(1);
  expect(await order('--seed', '4')).toEqual(mixed[3]);
});

test('the older script sends what it always sent', async () => {
  const ran = await as([
    'python3',
    'benchmark_serving.py',
    '--model',
    'm',
    '--backend',
    'vllm',
    '--base-url',
    server.url,
    '--dataset-name',
    'sharegpt',
    '--dataset-path',
    join(folder, 'sharegpt.json'),
    '--num-prompts',
    '1',
    '--best-of',
    '2',
  ]);
  expect(first(ran)).toMatchObject({
    temperature: 0,
    best_of: 2,
    stream: true,
    stream_options: { include_usage: true },
  });
});
