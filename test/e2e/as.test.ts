import { readdir, readFile, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder, start } from './dyno.ts';
import type { Done, Running } from './dyno.ts';

/** Commands as people published them; only host, port, paths and (unless LLMDYNO_LONG is set) the number of requests differ. */
const long = process.env['LLMDYNO_LONG'] === '1';
const n = long ? 1000 : 24;
const levels = long ? [8, 16, 32, 64, 100, 128, 150, 200, 256, 300] : [8, 16];

let folder: string;
let plain: { url: string; running: Running };
let tls: { url: string; management: string; running: Running };

async function up(flags: string[]): Promise<{ out: string; running: Running }> {
  const running = start(['engine', '--port', '0', '--speed', '100', ...flags]);
  const out = await running.until('out', flags.includes('--metrics-port') ? /metrics .*\n/ : /\n/);
  return { out, running };
}

beforeAll(async () => {
  folder = await emptyFolder();
  const questions = Array.from({ length: 60 }, (_, i) =>
    JSON.stringify({ question: `第 ${i} 个问题：为什么天空是蓝色的？${'请解释'.repeat(i % 7)}` }),
  );
  await mkdir(join(folder, 'datasets'));
  await mkdir(join(folder, 'GSM8K'));
  await writeFile(join(folder, 'datasets/open_qa.jsonl'), questions.join('\n'));
  const sums = Array.from({ length: 30 }, (_, i) =>
    JSON.stringify({ question: `Tom has ${i} apples and buys ${i}. How many?`, answer: `#### ${2 * i}` }),
  );
  await writeFile(join(folder, 'GSM8K/test.jsonl'), sums.join('\n'));
  const talk = (i: number): unknown => ({
    id: String(i),
    conversations: [
      { from: 'human', value: `Explain item ${i} with an example. `.repeat(1 + (i % 4)) },
      { from: 'gpt', value: 'Here is an answer of several words. '.repeat(2 + (i % 5)) },
    ],
  });
  await writeFile(join(folder, 'ShareGPT.json'), JSON.stringify(Array.from({ length: 80 }, (_, i) => talk(i))));
  const first = await up(['--model', 'qwen', '--model', 'qwen2.5', '--model', 'default']);
  plain = { url: first.out.trim(), running: first.running };
  const second = await up(['--tls', '--management-port', '0', '--metrics-port', '0', '--model', 'LLaMa3-8B']);
  const [url, management] = second.out.split('\n');
  tls = { url: url!, management: management!.replace('management ', ''), running: second.running };
});

afterAll(async () => {
  for (const { running } of [plain, tls]) {
    running.child.kill('SIGTERM');
    await running.done;
  }
});

/** Lenient: whether this machine could keep up is not what these tests ask. */
const as = (line: string): Promise<Done> => run(['--lenient'], line);
const run = (own: readonly string[], line: string): Promise<Done> => {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3]!);
  return dyno(['as', ...own, ...words], { cwd: folder });
};
const figure = (text: string, label: string): number => Number(new RegExp(`${label}:?\\s+([\\d.]+)`).exec(text)?.[1]);

describe('commands that people have, with dyno as in front', () => {
  test('evalscope-perf: a block and a file per level, then the picture', async () => {
    const parallels = levels.map((level) => `--parallels ${level}`).join(' ');
    const done = await as(
      `evalscope-perf ${plain.url}/v1/chat/completions qwen2.5 ./datasets/open_qa.jsonl --max-prompt-length 8000 --read-timeout=120 ${parallels} --n ${n}`,
    );
    expect(done.err).not.toContain('error');
    expect(done.code).toBe(0);
    expect(done.out.match(/Benchmarking summary: /g)).toHaveLength(levels.length);
    expect([...done.out.matchAll(/Running with parallel=(\d+)/g)].map((match) => Number(match[1]))).toEqual(levels);
    expect(figure(done.out, 'Succeed requests')).toBe(n);
    expect(done.out).toMatch(
      /📌 Metrics: \{'Average QPS': [\d.]+, 'Average latency': [\d.]+, 'Throughput': [\d.]+, 'Failed requests': 0\.0\}/,
    );
    const png = await readFile(join(folder, 'performance_metrics.png'));
    expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
    expect(await readFile(join(folder, 'qwen2.5_open_qa_p8.txt'), 'utf8')).toContain('Number of concurrency: 8');
  });

  test('evalscope perf, not streamed: first token and latency are the same; its JSON files are beside', async () => {
    const done = await as(
      `evalscope perf --api openai --url '${plain.url}/v1/chat/completions' --model 'qwen' --dataset openqa --dataset-path './datasets/open_qa.jsonl' --max-prompt-length 8000 --stop '<|im_end|>' --read-timeout=120 --parallel 10 -n ${n} --outputs-dir out --no-timestamp --no-stream`,
    );
    expect(done.code).toBe(0);
    expect(figure(done.out, 'Average time to first token')).toBe(figure(done.out, 'Average latency'));
    const summary = JSON.parse(
      await readFile(join(folder, `out/qwen/parallel_10_number_${n}/benchmark_summary.json`), 'utf8'),
    ) as Record<string, number>;
    expect(summary['Success Requests']).toBe(n);
    expect(summary['Stream Requests']).toBe(0);
  });

  test('a prompt filter that leaves nothing, an unknown flag and a moot one are told', async () => {
    const base = `evalscope perf --url ${plain.url}/v1/chat/completions --model qwen --dataset openqa --dataset-path ./datasets/open_qa.jsonl -n 2`;
    const none = await as(`${base} --max-prompt-length 3`);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('fewer than 3 characters')]);
    const unknown = await as(`${base} --paralel 3`);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean --parallel?')]);
    const moot = await as(`${base} --debug --num-workers 4 --wandb-api-key verysecret`);
    expect(moot.err).toContain('warning: without effect here: --debug, --num-workers, --wandb-api-key');
    expect(moot.code).toBe(0);
  });

  test('a run that is not valid ends with 5, with 0 where dyno as is asked to be lenient; what is printed is the same', async () => {
    const broken = await up(['--model', 'qwen', '--fault', '500:1']);
    try {
      const line = `evalscope perf --url ${broken.out.trim()}/v1/chat/completions --model qwen --dataset openqa --dataset-path ./datasets/open_qa.jsonl -n 3 --no-test-connection --no-stream --outputs-dir out-broken`;
      const strict = await run([], line);
      expect([strict.code, strict.err]).toEqual([5, expect.stringContaining('llmdyno: nothing-ok:')]);
      expect(figure(strict.out, 'Failed requests')).toBe(3);
      const lenient = await run(['--lenient'], line);
      expect([lenient.code, lenient.err]).toEqual([0, expect.stringContaining('llmdyno: nothing-ok:')]);
    } finally {
      broken.running.child.kill('SIGTERM');
      await broken.running.done;
    }
  });

  test('benchmark_serving.py of 2025, with its JSON', async () => {
    const done = await as(
      `python3 ./benchmarks/benchmark_serving.py --backend vllm --model qwen2.5 --tokenizer /data/models/Qwen2.5-72B-Instruct --dataset-name "sharegpt" --dataset-path "ShareGPT.json" --base-url ${plain.url} --trust-remote-code --num-prompts ${n} --max-concurrency 100 --save-result --result-filename r.json --goodput ttft:10000`,
    );
    expect(done.code).toBe(0);
    expect(done.out).toContain(
      'Traffic request rate: inf\nBurstiness factor: 1.0 (Poisson process)\nMaximum request concurrency: 100\n',
    );
    expect(done.out).toMatch(
      /^Namespace\(backend='vllm', base_url='http:[^']+', host='127\.0\.0\.1', port=8000, .*, goodput=\['ttft:10000'\], /,
    );
    expect(figure(done.out, 'Successful requests')).toBe(n);
    const json = JSON.parse(await readFile(join(folder, 'r.json'), 'utf8')) as Record<string, number>;
    expect(json['completed']).toBe(n);
    expect(json['request_goodput:']).toBeCloseTo(json['request_throughput']!, 9);
    expect(json['total_output_tokens']).toBe(figure(done.out, 'Total generated tokens'));
    // The identity that holds of the printed block whatever the run was like.
    expect(json['output_throughput']! * json['duration']!).toBeCloseTo(json['total_output_tokens']!, 3);
  });

  test('vllm bench serve: random lengths are exact, percentiles as asked for', async () => {
    const done = await as(
      `vllm bench serve --backend openai-chat --endpoint /v1/chat/completions --model qwen --base-url ${plain.url} --dataset-name random --random-input-len 32 --random-output-len 16 --num-prompts 12 --request-rate 50 --burstiness 0.5 --max-concurrency 8 --percentile-metrics ttft,e2el --metric-percentiles 50,99 --save-result --save-detailed --result-dir res --label mine --metadata gpu=none`,
    );
    expect(done.code).toBe(0);
    expect(figure(done.out, 'Total generated tokens')).toBe(12 * 16);
    expect(done.out).toContain('P50 E2EL (ms):');
    expect(done.out).not.toContain('Mean ITL');
    const [file] = await readdir(join(folder, 'res'));
    expect(file).toMatch(/^mine-50\.0qps-concurrency8-qwen-\d{8}-\d{6}\.json$/);
    const json = JSON.parse(await readFile(join(folder, 'res', file!), 'utf8')) as Record<string, unknown>;
    expect(json).toMatchObject({
      backend: 'openai-chat',
      gpu: 'none',
      burstiness: 0.5,
      max_concurrency: 8,
      completed: 12,
    });
    expect(json['output_lens']).toEqual(Array.from({ length: 12 }, () => 16));
  });

  test('benchmark_serving.py of 2023 against /generate', async () => {
    const port = new URL(plain.url).port;
    const done = await as(
      `python benchmark_serving.py --dataset ShareGPT.json --tokenizer /data/SUS-Chat-34B/ --request-rate 32 --num-prompts ${n} --port ${port} --host 127.0.0.1`,
    );
    expect(done.code).toBe(0);
    expect(done.out).toMatch(
      /^Total time: [\d.]+ s\nThroughput: [\d.]+ requests\/s\nAverage latency: [\d.]+ s\nAverage latency per token: [\d.]+ s\nAverage latency per output token: [\d.]+ s\nCompletion tokens per second: [\d.]+ tokens\/s\n$/,
    );
  });

  test.each(['client', 'openai', 'vllm_client', 'tgi_client'])(
    "MindIE's benchmark over HTTPS, --TestType %s",
    async (type) => {
      const done = await as(
        `benchmark --DatasetPath "./GSM8K" --DatasetType "gsm8k" --ModelName LLaMa3-8B --ModelPath "/models/LLaMa3-8B" --TestType ${type} --Http ${tls.url} --ManagementHttp ${tls.management} --Concurrency 1000 --TaskKind stream --Tokenizer True --MaxOutputLen 32 --SavePath ./instance-${type}`,
      );
      expect(done.err).not.toContain('does not answer');
      expect(done.code).toBe(0);
      expect(done.out).toContain('|                  Total |        30[ 100.0% ] |');
      expect(done.out).toContain('Benchmark task completed successfully!');
      expect(done.out.match(/\|\s+DecoderBatchsize \|\s+([\d./]+)/)?.[1] === '/').toBe(type !== 'client');
      const files = (await readdir(join(folder, `instance-${type}`)))
        .map((name) => name.replace(/_\d+\./, '.'))
        .toSorted();
      expect(files).toEqual(['result_common.csv', 'result_perf.csv', 'results_per_request.json']);
    },
  );

  test('what MindIE’s tables say is read back by dyno import, to the digit', async () => {
    const files = await readdir(join(folder, 'instance-client'));
    const perf = files.find((name) => name.startsWith('result_perf'))!;
    const imported = await dyno(['import', join(folder, 'instance-client', perf), '--json'], { cwd: folder });
    const { sweeps } = JSON.parse(imported.out) as {
      sweeps: { points: { outputTokens: { max: number; n: number } }[] }[];
    };
    expect(sweeps[0]!.points[0]!.outputTokens.max).toBe(32);
  });

  test('rates run one pass each, and a dialect that is not offered is refused', async () => {
    const base = `benchmark --DatasetPath ./GSM8K --DatasetType gsm8k --ModelName LLaMa3-8B --ModelPath /m --Http ${tls.url} --WarmupSize 0 --RequestCount 5 --SavePath ./rates`;
    const done = await as(`${base} --RequestRate 40,80 --Distribution poisson`);
    expect(done.out.match(/common metric result/g)).toHaveLength(2);
    expect(done.out).toContain('5[ 100.0% ]');
    // The classic trap: twenty tokens unless told otherwise.
    expect(done.out).toMatch(/GeneratedTokens \|\s+20\.0 \|/);
    expect((await as(`${base} --TestType engine`)).code).toBe(2);
  });
});
