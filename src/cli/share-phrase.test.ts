import { expect, test } from 'vitest';
import { sharePhrase } from './commands/worker.ts';

test('a run cannot write to the terminal of a worker by what it calls itself', () => {
  const told = [
    sharePhrase({ say: 'began', phase: 'measure', model: 'm\u001B]0;x\u0007\n', slots: 4 }),
    sharePhrase({ say: 'failed', why: { en: 'no file \u001B[2J', zh: '没有文件 \u001B[2J' } }),
  ];
  expect(told).toEqual([
    { en: 'run of m ]0;x begins, 4 in flight here', zh: 'm ]0;x 的运行开始，本机并发 4' },
    { en: 'share not done: no file  [2J', zh: '份额未完成：没有文件  [2J' },
  ]);
});
