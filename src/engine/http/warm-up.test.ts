import { expect, test } from 'vitest';
import { warmUp } from './warm-up.ts';

test('a warm-up ends, and leaves no server and no connection behind', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
  await warmUp();
  // Sockets that were destroyed are closed in the next round.
  await new Promise((resolve) => void setTimeout(resolve, 50));
  const after = process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
  expect(after).toBeLessThanOrEqual(before);
});
