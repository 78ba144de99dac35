import { expect, test } from 'vitest';
import { SpareCore } from './read-poller.ts';

const quiet = { readyTasks: 2, waitRatio: 0 };
const crowded = { readyTasks: 3, waitRatio: 0 };

/** What it does after each of some looks on a host with two cores. */
const waysAfter = (core: SpareCore, looks: readonly (typeof quiet)[]): string[] =>
  looks.map((look) => {
    core.saw(look);
    return core.way;
  });

test('it sleeps until two looks in a row saw a core to spare, and then polls', () => {
  const core = new SpareCore(2);
  expect(core.way).toBe('sleeps');
  expect(waysAfter(core, [quiet, quiet, quiet])).toEqual(['sleeps', 'polls', 'polls']);
});

test('where more are ready than there are cores it never polls, and naps', () => {
  expect(
    new Set(
      waysAfter(
        new SpareCore(2),
        Array.from({ length: 100 }, () => crowded),
      ),
    ),
  ).toEqual(new Set(['naps']));
});

test('one look that saw a crowd, or waiting of its own, ends the polling', () => {
  for (const bad of [crowded, { readyTasks: 1, waitRatio: 0.3 }, { readyTasks: Infinity, waitRatio: NaN }])
    expect(waysAfter(new SpareCore(2), [quiet, quiet, bad])).toEqual(['sleeps', 'polls', 'naps']);
});

test('a host that fills up whenever it polls is polled on more and more seldom, up to 32 looks apart', () => {
  const core = new SpareCore(2);
  let looksBetween = 0;
  const stretches: number[] = [];
  for (let i = 0; i < 400; i++) {
    looksBetween++;
    if (core.way === 'polls') {
      stretches.push(looksBetween);
      looksBetween = 0;
      core.saw(crowded);
    } else core.saw(quiet);
  }
  expect(stretches.slice(0, 6)).toEqual([3, 5, 9, 17, 33, 33]);
});

test('after polling for long it is trusted anew', () => {
  const core = new SpareCore(2);
  waysAfter(core, [quiet, quiet, crowded, ...Array.from({ length: 30 }, () => quiet)]);
  expect(core.way).toBe('polls');
  // One failure doubles the two looks that are needed at first, and not the four of the failure before.
  expect(waysAfter(core, [crowded, quiet, quiet, quiet, quiet]).slice(1)).toEqual(['naps', 'naps', 'naps', 'polls']);
});
