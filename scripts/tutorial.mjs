// Does what docs/tutorial/first-run.md tells and puts what was really printed into both languages of the page.
// About a minute on a quiet machine, after `npm run build`: node scripts/tutorial.mjs
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const main = join(root, 'dist/cli/main.js');
const store = await mkdtemp(join(tmpdir(), 'llmdyno-tutorial-'));
const runs = {
  first: ['--concurrency', '16', '-n', '100', '--warmup', '16', '--max-tokens', '64'],
  second: ['--concurrency', '64', '-n', '1000', '--warmup', '64', '--max-tokens', '64'],
  'bad-day': ['--concurrency', '64', '-n', '1000', '--max-tokens', '64'],
};

/** What a command prints on stdout. */
function dyno(words) {
  return new Promise((resolve) =>
    execFile(process.execPath, [main, ...words, '--store', store], (_, out) => resolve(out.trimEnd())),
  );
}

/** A simulated engine while something is done with its address. */
async function withEngine(flags, work) {
  const engine = spawn(process.execPath, [main, 'engine', '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [url] = await new Promise((resolve) =>
      engine.stdout.setEncoding('utf8').once('data', (text) => resolve(text.split('\n'))),
    );
    await work(url);
  } finally {
    engine.kill();
  }
}

const run = (label) => (url) => dyno(['run', url, ...runs[label], '--label', label, '--quiet']);
await withEngine([], async (url) => {
  await run('first')(url);
  await run('second')(url);
});
const listed = { en: await dyno(['runs']), zh: await dyno(['runs', '--lang', 'zh']) };
await withEngine(['--fault', 'reset:2%', '--fault', '500:2%'], run('bad-day'));
for (const [lang, name] of [
  ['en', 'first-run.md'],
  ['zh', 'first-run.zh.md'],
]) {
  const page = join(root, 'docs/tutorial', name);
  let text = await readFile(page, 'utf8');
  /** Puts words into the block behind the one whose command ends so. */
  const put = (command, words) => {
    const block = new RegExp(`(${command}(?: --lang zh)?\\n\`\`\`\\n\\n\`\`\`\\n)[\\s\\S]*?(\\n\`\`\`)`);
    if (!block.test(text)) throw new Error(`${name} has no block behind ${command}`);
    text = text.replace(block, (_, before, after) => `${before}${words.replaceAll(/ +$/gm, '')}${after}`);
  };
  for (const label of Object.keys(runs)) {
    const told = await dyno(['report', label, '--lang', lang]);
    if (/client-bound|client-stalls/.test(told)) throw new Error(`this machine was too busy for a page: ${label}`);
    put(`--label ${label}`, told);
  }
  put('dyno runs', listed[lang]);
  await writeFile(page, text);
}
await rm(store, { recursive: true });
