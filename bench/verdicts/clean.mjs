// No cry of wolf: clean runs on a real vLLM, the simulated engines' profiles, and published logs; every finding about the server is told.
//   node bench/verdicts/clean.mjs runs URL MODEL [REQUESTS]    30 runs on a server that is up and that nobody else loads
//   node bench/verdicts/clean.mjs profiles                     every built-in profile, closed and open, in virtual time
//   node bench/verdicts/clean.mjs logs FILE…                   the points of documents and logs
// Exit 1 where a rule about the server spoke. Rules about length, and about the client's own host, are counted beside.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'dist/cli/main.js');
const store = mkdtempSync(join(tmpdir(), 'llmdyno-clean-'));
/** Rules that doubt the server. */
const wolves = new Set(
  'overloaded server-silent server-gone server-restarted server-changed counts-impossible textless-answers cached-prompts front-bound kv-bound'.split(
    ' ',
  ),
);

async function dyno(...words) {
  const child = spawn(process.execPath, [main, ...words, '--json', '--store', store], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (more) => (out += more));
  child.stderr.on('data', (more) => (err += more));
  const code = await new Promise((resolve) => child.once('close', resolve));
  try {
    return { code, found: JSON.parse(out) };
  } catch {
    throw new Error(`dyno ${words.join(' ')}: exit ${code}\n${err.slice(-600)}`);
  }
}

const rows = [];
function tell(name, summary, code) {
  const codes = summary.verdict.findings.map((finding) => finding.code);
  const cries = codes.filter((one) => wolves.has(one));
  rows.push({ name, codes, cries });
  const ratio = (value) => (value === null || value === undefined ? '–' : `${(100 * value).toFixed(1)} %`);
  const { hitRatio, eligibleRatio } = summary.cache ?? {};
  console.log(
    `${cries.length > 0 ? '!!' : 'ok'} ${name.padEnd(52)} ${String(summary.loadState ?? '–').padEnd(9)} exit ${code} cache ${ratio(hitRatio)} of ${ratio(eligibleRatio)} failed ${summary.counts.failed ?? '–'}  ${codes.join(' ')}`,
  );
  for (const one of summary.verdict.findings) if (wolves.has(one.code)) console.log(`     ${one.message}`);
}

async function runs(url, model, requests = '60') {
  const lengths = [
    [32, 12],
    [128, 24],
    [512, 12],
  ];
  for (const api of ['openai-chat', 'openai-completions'])
    for (const [input, output] of lengths) {
      const common = [
        'run',
        url,
        '--model',
        model,
        '--api',
        api,
        '-n',
        requests,
        '--input-tokens',
        String(input),
        '--output-tokens',
        String(output),
      ];
      const name = (what) => `${api.slice(7)} ${input} → ${output} ${what}`;
      const closed = await dyno(...common, '--concurrency', '4');
      tell(name('closed 4'), closed.found, closed.code);
      const rate = (0.5 * closed.found.requestsPerSec).toFixed(2);
      const kinds = {
        'closed 1': ['--concurrency', '1', '-n', '30'],
        [`open ${rate}/s`]: ['--rate', rate],
        'shared prefix, closed 4': ['--concurrency', '4', '--dataset', `shared-prefix:groups=4,prefix=${input}`],
        'shared prefix, open': ['--rate', rate, '--dataset', `shared-prefix:groups=2,prefix=${input}`],
      };
      for (const [what, words] of Object.entries(kinds)) {
        const { code, found } = await dyno(...common, ...words);
        tell(name(what), found, code);
      }
    }
}

async function profiles() {
  for (const file of readdirSync(join(root, 'data/engines')).filter((one) => one.endsWith('.json'))) {
    const profile = file.slice(0, -5);
    const common = ['sim', '--profile', profile, '--input-tokens', '256', '--output-tokens', '64'];
    const closed = await dyno(...common, '--concurrency', '16').catch(() => null);
    if (closed === null) continue;
    tell(`${profile} closed 16`, closed.found, closed.code);
    const rate = (0.5 * closed.found.requestsPerSec).toFixed(2);
    const { code, found } = await dyno(...common, '--rate', rate, '--duration', '60s');
    tell(`${profile} open ${rate}/s`, found, code);
  }
}

async function logs(files) {
  for (const file of files) {
    const { code, found } = await dyno('audit', file);
    for (const point of found.points) {
      const summary = { verdict: { findings: point.findings }, counts: {} };
      tell(`${point.title ?? file} at ${point.concurrency ?? '?'}`, summary, code);
    }
  }
}

const [what, ...words] = process.argv.slice(2);
if (what === 'runs') await runs(...words);
else if (what === 'profiles') await profiles();
else if (what === 'logs') await logs(words);
else throw new Error('runs URL MODEL [REQUESTS] | profiles | logs FILE…');
rmSync(store, { recursive: true, force: true });
const loud = rows.filter(({ cries }) => cries.length > 0);
const others = {};
for (const { codes } of rows) for (const code of codes) if (!wolves.has(code)) others[code] = (others[code] ?? 0) + 1;
console.log(
  `\n${rows.length} points, ${loud.length} with a finding about the server. Other rules: ${JSON.stringify(others)}`,
);
process.exitCode = loud.length > 0 ? 1 : 0;
