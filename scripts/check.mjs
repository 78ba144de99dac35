// The quick gate, under a minute: types, lint, format, dead code, the house's rules, and the tests of rooms that take no seconds each.
// `npm test` has the others: contracts, laws, whole fits and simulations.
import { root, runChecks, staticChecks, takeLong } from './steps.mjs';

const unit = [
  'unit tests',
  `${root}node_modules/.bin/vitest`,
  [
    'run',
    '--project',
    'unit',
    '--reporter=dot',
    'src/',
    'test/house/',
    ...takeLong.flatMap((file) => ['--exclude', file]),
  ],
];
const { passed, failed } = await runChecks([...staticChecks, unit]);
console.log(`checks: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
