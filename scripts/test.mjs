// The whole suite, a line for each file: build, static checks, unit and contract tests, then whole processes. `--long` takes the full counts.
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserPath } from './browser.mjs';
import { redisServerPath } from './redis.mjs';
import { root, run, runChecks, staticChecks } from './steps.mjs';
import { expectedTime, keepTimes } from './test-times.mjs';

const long = process.argv.includes('--long');
/** @type {{ passed: number, failures: { name: string, message: string }[] }} */
const total = { passed: 0, failures: [] };
const seconds = {};
const count = (part) => {
  total.passed += part.passed;
  total.failures.push(...part.failures);
  Object.assign(seconds, part.seconds);
};
const size = long ? 'long' : 'test';
const began = Date.now();
console.log(expectedTime(size));

const built = await run(process.execPath, ['scripts/build.mjs']);
if (built.code !== 0) {
  console.log(built.output);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
count(await runChecks(staticChecks));
// The suites that open a browser are left out only where there is none, never silently, and never under CI.
const browser = await browserPath();
const needBrowser = ['test/e2e/page.test.ts', 'test/e2e/ui/**'];
const leaveOut = browser.path === null && !process.env.CI ? needBrowser.flatMap((file) => ['--exclude', file]) : [];
if (leaveOut.length > 0) console.log(`left out: ${needBrowser.join(', ')} (${browser.why})`);
// The same holds for the suites on a real Redis.
const redis = await redisServerPath();
const needRedis = ['test/contract/cluster-runner.test.ts', 'test/e2e/cluster*.test.ts'];
if (redis.path === null && !process.env.CI) {
  console.log(`left out: ${needRedis.join(', ')} (${redis.why})`);
  leaveOut.push(...needRedis.flatMap((file) => ['--exclude', file]));
}
for (const project of ['unit', 'e2e', 'alone']) {
  const file = join(tmpdir(), `llmdyno-${process.pid}-${project}.json`);
  const { code } = await run(
    `${root}node_modules/.bin/vitest`,
    ['run', '--project', project, ...leaveOut, '--reporter=./scripts/tally-reporter.mjs'],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, LLMDYNO_TALLY: file, ...(long && { LLMDYNO_LONG: '1' }) },
    },
  );
  const tally = await readFile(file, 'utf8').then(JSON.parse, () => ({ passed: 0, failures: [] }));
  await rm(file, { force: true });
  // A suite that could not even start has no failed test to count.
  if (code !== 0 && tally.failures.length === 0)
    tally.failures.push({ name: `tests of ${project}`, message: `vitest ended with ${code}` });
  count(tally);
}
console.log(`\n${keepTimes(size, (Date.now() - began) / 1000, seconds)}`);
// Told here, where a log that was cut still says it.
for (const { name, message } of total.failures) console.log(`\nFAILED ${name}\n${message.replaceAll(/^/gm, '  ')}`);
console.log(`${total.failures.length === 0 ? '' : '\n'}${total.passed} passed, ${total.failures.length} failed`);
process.exitCode = total.failures.length === 0 ? 0 : 1;
