// The whole suite: build, static checks, unit and contract tests, then whole processes. `--long` takes the full counts.
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserPath } from './browser.mjs';
import { redisServerPath } from './redis.mjs';
import { root, run, runChecks, staticChecks } from './steps.mjs';

const long = process.argv.includes('--long');
const total = { passed: 0, failed: 0 };
const count = ({ passed, failed }) => {
  total.passed += passed;
  total.failed += failed;
};

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
    ['run', '--project', project, ...leaveOut, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...(long && { LLMDYNO_LONG: '1' }) } },
  );
  const result = await readFile(file, 'utf8').then(JSON.parse, () => null);
  await rm(file, { force: true });
  const passed = result?.numPassedTests ?? 0;
  const failed = result?.numFailedTests ?? 0;
  // A suite that could not even start has no failed test to count.
  count({ passed, failed: code !== 0 && failed === 0 ? 1 : failed });
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
