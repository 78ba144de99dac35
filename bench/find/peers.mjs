// How many users at once, asked of one simulated engine by three tools: dyno find, evalscope's --sla-auto-tune, aiperf's search.
//   uv venv E && uv pip install -p E 'evalscope[perf]==1.14.1'; uv venv A && uv pip install -p A aiperf==0.13.0
//   node bench/find/peers.mjs --evalscope E/bin/evalscope --aiperf A/bin/aiperf [--tokenizer NAME] [--limit-s 900]
// NAME is a tokenizer in the cache of Hugging Face (HF_HOME) that aiperf makes its prompts with; its built-in one is fetched from afar.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';

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
/** Answers that the engine has ended, by its own count. */
const answered = async () => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(/^vllm:request_success_total\S* (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};

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
    const sla = JSON.stringify([{ p99_ttft: `<=${limits.ttftMs}`, p99_tpot: `<=${limits.tpotMs}` }]);
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
    await measure(
      'evalscope --sla-auto-tune',
      absolute(evalscope),
      [...args, ...search],
      { HF_HUB_OFFLINE: '1' },
      ({ text }) => {
        const probes = new Set([...text.matchAll(/\[parallel=(\d+)\] SLA Rule/g)].map(([, value]) => value));
        const selected = /p99_ttft[^│\n]*│\s*([^│]+?)\s*│\s*([^│]+?)\s*│\s*([^│]+?)\s*│/.exec(
          text.slice(text.indexOf('Selections:')),
        );
        return {
          probes: `${probes.size} loads (${[...probes].join(', ')}), three runs each`,
          answer: selected === null ? 'none was printed' : selected.slice(1).join(', '),
        };
      },
    );
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
      option('tokenizer', 'builtin'),
      '--use-server-token-count',
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
      '--benchmark-duration',
      '30',
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
    await measure("aiperf's search", absolute(aiperf), [...args, ...search], { HF_HUB_OFFLINE: '1' }, () => {
      const history = JSON.parse(readFileSync(join(out, 'aiperf', 'search_history.json'), 'utf8'));
      const loads = history.iterations.map((one) => Object.values(one.variation_values)[0]);
      const { feasible_max: kept, infeasible_min: broke } = history.boundary_summary ?? {};
      return {
        probes: `${loads.length} (${loads.join(', ')})`,
        answer: `${kept?.value ?? 'none'}, breaks at ${broke?.value ?? '–'}`,
      };
    });
  }
} finally {
  engine.kill('SIGTERM');
}
console.log('| tool | time | requests sent | probes | answer |\n|---|---|---|---|---|');
for (const { tool, seconds, requests, probes, answer } of rows)
  console.log(`| ${tool} | ${seconds.toFixed(0)} s | ${requests} | ${probes} | ${answer.replaceAll('|', '/')} |`);
