// How many users at once, asked of one simulated engine by three tools: dyno find, evalscope's --sla-auto-tune, aiperf's search.
//   uv venv E && uv pip install -p E 'evalscope[perf]==1.14.1'; uv venv A && uv pip install -p A aiperf==0.13.0
//   node bench/find/peers.mjs --evalscope E/bin/evalscope --aiperf A/bin/aiperf [--limit-s 900]
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? otherwise : process.argv[at + 1];
};
const limitMs = 1000 * Number(option('limit-s', '900'));
const out = mkdtempSync(join(tmpdir(), 'dyno-peers-'));
const dyno = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const limits = { ttftMs: 500, tpotMs: 50 };

/** Runs a program to its end or to the limit; its output, and how long it took. */
function run(file, args, env = {}) {
  const beganAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: out, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.on('error', (error) => (text += error.message));
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, text, seconds: (Date.now() - beganAt) / 1000 });
    });
  });
}

const engine = spawn(process.execPath, [dyno, 'engine', '--profile', 'qwen1.5-7b-mindie-8x910b4', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const url = await new Promise((resolve) =>
  engine.stdout.once('data', (data) => resolve(String(data).trim().split('\n')[0])),
);
/** Answers that the engine has begun, by its own count. */
const answered = async () =>
  Number(/^vllm:request_success_total\S* (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? 0);

const rows = [];
async function measure(tool, file, args, env, answer) {
  const before = await answered();
  const done = await run(file, args, env);
  rows.push({ tool, seconds: done.seconds, requests: (await answered()) - before, ...answer(done) });
  if (done.code !== 0) console.error(`${tool} ended with ${done.code}:\n${done.text.slice(-1500)}`);
}

try {
  const slo = ['--slo', `ttft.p99<${limits.ttftMs}ms`, '--slo', `tpot.p99<${limits.tpotMs}ms`];
  const lengths = ['--input-tokens', '256', '--output-tokens', '64'];
  await measure(
    'dyno find',
    process.execPath,
    [dyno, 'find', url, ...slo, ...lengths, '--json', '--quiet', '--store', join(out, 'store')],
    {},
    ({ text }) => {
      const found = JSON.parse(text.slice(text.indexOf('{')));
      return {
        probes: found.probes.length,
        answer: `${found.answer?.value ?? 'none'}, breaks at ${found.breaksAt ?? '–'}${found.answer?.confirmed === true ? ', confirmed' : ''}`,
      };
    },
  );
  const evalscope = option('evalscope', null);
  if (evalscope !== null) {
    const sla = JSON.stringify([{ p99_ttft: `<=${limits.ttftMs / 1000}`, p99_tpot: `<=${limits.tpotMs / 1000}` }]);
    const prompt = Array.from({ length: 200 }, (_, i) => `word${i % 10}`).join(' ');
    const args = [
      'perf',
      '--model',
      'qwen1.5-7b-chat',
      '--url',
      `${url}/v1/chat/completions`,
      '--api',
      'openai',
      '--prompt',
      prompt,
      '--max-tokens',
      '64',
      '--min-tokens',
      '64',
    ];
    const search = [
      '--parallel',
      '16',
      '--number',
      '96',
      '--sla-auto-tune',
      '--sla-variable',
      'parallel',
      '--sla-params',
      sla,
      '--sla-upper-bound',
      '512',
      '--sla-number-multiplier',
      '6',
      '--outputs-dir',
      join(out, 'evalscope'),
    ];
    await measure('evalscope --sla-auto-tune', evalscope, [...args, ...search], { HF_HUB_OFFLINE: '1' }, ({ text }) => {
      const told =
        [...text.matchAll(/(?:max|best|optimal|satisf)[^\n]*?(\d+)[^\n]*/gi)].at(-1)?.[0] ??
        text.trim().split('\n').at(-1);
      const probes = new Set([...text.matchAll(/parallel[_ =:]+(\d+)[^\n]*/gi)].map(([, value]) => value)).size;
      return { probes, answer: told.slice(0, 120) };
    });
  }
  const aiperf = option('aiperf', null);
  if (aiperf !== null) {
    const args = [
      'profile',
      '-m',
      'qwen1.5-7b-chat',
      '--url',
      url,
      '--endpoint-type',
      'chat',
      '--streaming',
      '--tokenizer',
      'builtin',
      '--isl',
      '256',
      '--osl',
      '64',
      '--ui',
      'none',
      '--artifact-dir',
      join(out, 'aiperf'),
    ];
    const search = [
      '--request-count',
      '600',
      '--search-space',
      'phases.profiling.concurrency:1,512:int',
      '--search-metric',
      'output_token_throughput',
      '--search-direction',
      'maximize',
      '--search-max-iterations',
      '10',
      '--search-planner',
      'monotonic-sla',
      '--search-sla',
      `time_to_first_token:p99:lt:${limits.ttftMs}`,
      '--search-sla',
      `inter_token_latency:p99:lt:${limits.tpotMs}`,
    ];
    await measure("aiperf's search", aiperf, [...args, ...search], {}, ({ text }) => {
      const files = readdirSync(join(out, 'aiperf'), { recursive: true }).filter((name) =>
        /search.*\.json$/.test(name),
      );
      const told =
        files.length === 0
          ? text.trim().split('\n').at(-1)
          : readFileSync(join(out, 'aiperf', files[0]), 'utf8').slice(0, 200);
      return {
        probes: new Set([...text.matchAll(/concurrency[^\d\n]{1,10}(\d+)/gi)].map(([, value]) => value)).size,
        answer: told.replaceAll(/\s+/g, ' '),
      };
    });
  }
} finally {
  engine.kill('SIGTERM');
}
console.log('| tool | time | requests sent | probes | answer |\n|---|---|---|---|---|');
for (const { tool, seconds, requests, probes, answer } of rows)
  console.log(`| ${tool} | ${seconds.toFixed(0)} s | ${requests} | ${probes} | ${answer.replaceAll('|', '/')} |`);
