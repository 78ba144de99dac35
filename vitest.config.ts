import { defineConfig } from 'vitest/config';

const undisturbed = ['test/e2e/measurer.test.ts', 'test/contract/fault-rounds.test.ts'];
const others = undisturbed.map((file) => `!${file}`);

export default defineConfig({
  test: {
    // Tests that mostly wait for whole processes run side by side (`describe.concurrent`), but not so many that they starve.
    maxConcurrency: 3,
    // Time limits below are there against waiting for ever, and decide nothing else.
    projects: [
      {
        test: {
          name: 'unit',
          // Rooms keep no state that a test could leave behind; loading them again for each file took most of the time.
          isolate: false,
          // A core for each: what is left to the runner itself is little.
          maxWorkers: '100%',
          include: [
            'src/**/*.test.ts',
            'test/house/**/*.test.ts',
            'test/contract/**/*.test.ts',
            'test/laws/**/*.test.ts',
            ...others,
          ],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      // Whole processes and real time, mostly waiting for each other: two files at a time, whatever the machine has.
      {
        test: {
          name: 'e2e',
          // Not by `exclude`, which would leave out what a command line excludes.
          include: ['test/e2e/**/*.test.ts', 'test/real/**/*.test.ts', ...others],
          testTimeout: 400_000,
          hookTimeout: 400_000,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      // What holds the clock of one process against another's must not be disturbed by a third.
      {
        test: {
          name: 'alone',
          include: undisturbed,
          testTimeout: 400_000,
          hookTimeout: 400_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
