// The quick gate, under a minute: types, lint, format, dead code, and every test that needs no process of its own.
import { root, runChecks, staticChecks } from './steps.mjs';

const unit = [
  'unit tests',
  `${root}node_modules/.bin/vitest`,
  ['run', '--project', 'unit', '--reporter=dot', '--maxWorkers=3'],
];
const { passed, failed } = await runChecks([...staticChecks, unit]);
console.log(`checks: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
