import { expect, test, vi } from 'vitest';
import { currentRead, readAt } from './current-read.ts';
import { ReadPoller } from './read-poller.ts';

/** A poller on a host that is made up, with a clock that goes on by 20 ms with each look and a little with each question. */
function pollerOn(host: { cores: number | null; ready: number }): {
  poller: ReadPoller;
  looks(count: number): void;
  close(): void;
  host: { ready: number };
} {
  let nowMs = 1;
  let open = true;
  const clock = { originNs: 0n, nowMs: () => (nowMs += 0.02) };
  const poller = new ReadPoller(clock, () => open, {
    cores: host.cores,
    readyTasks: () => host.ready,
    waitMs: () => 0,
  });
  return {
    poller,
    host,
    looks: (count) => {
      for (let i = 0; i < count; i++) {
        nowMs += 20;
        poller.look();
      }
    },
    close: () => {
      open = false;
    },
  };
}

const rounds = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

test('with a core to spare it turns on and on while streams are open, counts that as spun, and stops with them', async () => {
  const { poller, looks, close } = pollerOn({ cores: 2, ready: 2 });
  // The first window has no beginning; two more have to be good.
  looks(30);
  await rounds(20);
  const spunMs = poller.spunMs;
  expect(spunMs).toBeGreaterThan(0);
  await rounds(20);
  expect(poller.spunMs).toBeGreaterThan(spunMs);
  looks(30);
  expect(poller.ratios!.pollRatio).toBeCloseTo(0.5, 1);
  close();
  await rounds(2);
  const endMs = poller.spunMs;
  await rounds(20);
  expect(poller.spunMs).toBe(endMs);
});

test('without one it naps once after each read, and sleeps when nothing came', async () => {
  const wait = vi.spyOn(Atomics, 'wait');
  const { poller, looks, close } = pollerOn({ cores: 2, ready: 3 });
  looks(30);
  await rounds(5);
  wait.mockClear();
  for (let read = 1; read <= 3; read++) {
    currentRead[readAt] = 1000 + read;
    poller.wake();
    await rounds(10);
    expect(wait).toHaveBeenCalledTimes(read);
  }
  expect(poller.spunMs).toBe(0);
  expect(poller.ratios!.napRatio).toBeGreaterThan(0.3);
  close();
  wait.mockRestore();
});

test('where nothing may poll it does nothing, and says so', async () => {
  const { poller, looks } = pollerOn({ cores: null, ready: 1 });
  const turn = vi.spyOn(globalThis, 'setImmediate');
  looks(100);
  poller.wake();
  expect(turn).not.toHaveBeenCalled();
  turn.mockRestore();
  expect(poller.ratios).toEqual({ pollRatio: 0, napRatio: 0 });
});
