// Runs a named command and remembers whether it passed; shared by check and test.
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

export const root = new URL('..', import.meta.url).pathname;
const bin = (name) => `${root}node_modules/.bin/${name}`;

/** The static checks: each is one command that must exit 0. */
export const staticChecks = [
  ['types', bin('tsc'), ['-p', '.']],
  ['types of the page', bin('tsc'), ['-p', 'src/results/report/page']],
  ['types of the app', bin('tsc'), ['-p', 'src/web/app']],
  ['lint', bin('oxlint'), ['--deny-warnings', '--type-aware', '.']],
  ['format', bin('oxfmt'), ['--check', '.']],
  ['dead code', bin('knip'), ['--no-progress']],
];

/** Tests of rooms that fit, or play whole servers: they take more than all the others together. */
export const takeLong = [
  'src/advice/fit/fit-trace.test.ts',
  'src/advice/fit/fit-sweep.test.ts',
  'src/advice/fit/real-traces.test.ts',
  'src/advice/fit/step-jitter.test.ts',
  'src/advice/tune/engine-of-runs.test.ts',
  'src/advice/tune/mindie-goals.test.ts',
  'src/cli/commands/fit.test.ts',
  'src/cli/commands/sim.test.ts',
  'src/engine/sim/scheduler/schedulers.laws.test.ts',
];

export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    child.stdout?.on('data', (piece) => (output += piece));
    child.stderr?.on('data', (piece) => (output += piece));
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** As much of a message as tells what happened. */
export function firstLines(text, most) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, most)
    .map((line) => line.slice(0, 400))
    .join('\n');
}

/** Runs checks side by side; prints the output of those that fail; gives back how many passed and what failed. */
export async function runChecks(checks) {
  const results = await Promise.all(
    checks.map(async ([name, command, args]) => {
      const started = Date.now();
      const { code, output } = await run(command, args);
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
      // No colour codes into a file.
      if (code !== 0) console.log(process.stdout.isTTY ? output : stripVTControlCharacters(output));
      return code === 0 ? null : { name, message: firstLines(stripVTControlCharacters(output), 20) };
    }),
  );
  const failures = results.filter((result) => result !== null);
  return { passed: results.length - failures.length, failed: failures.length, failures };
}
