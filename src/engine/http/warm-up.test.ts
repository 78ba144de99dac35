import { expect, test, vi } from 'vitest';
import { warmUp } from './warm-up.ts';

test('a warm-up ends, and leaves no server and no connection behind', async () => {
  const tcp = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
  const before = tcp();
  await warmUp();
  // Sockets that were destroyed are closed in a later round.
  await vi.waitFor(() => expect(tcp()).toBeLessThanOrEqual(before), { timeout: 60_000 });
});
