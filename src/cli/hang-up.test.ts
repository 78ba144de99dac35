import { expect, test } from 'vitest';
import { outlivesTerminal } from './hang-up.ts';

test.each<[string, Record<string, string>, { target: string; flags: string } | null, boolean]>([
  ['a shell that names nohup', { _: '/usr/bin/nohup' }, null, true],
  ['a shell that names another command', { _: '/usr/bin/nohupper' }, null, false],
  ['a stdin that cannot be read, of GNU nohup', {}, { target: '/dev/null', flags: '0100001' }, true],
  [
    'a stdin without anything in it, as of any job in the background',
    {},
    { target: '/dev/null', flags: '0100000' },
    false,
  ],
  ['a terminal', {}, { target: '/dev/pts/3', flags: '0100002' }, false],
  ['a system that does not tell', {}, null, false],
])('started by nohup or not: %s', (_, env, stdin, outlives) => {
  expect(outlivesTerminal(env, stdin)).toBe(outlives);
});
