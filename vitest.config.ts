import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

const undisturbed = ['test/e2e/measurer.test.ts', 'test/contract/fault-rounds.test.ts'];
const others = undisturbed.map((file) => `!${file}`);

/** Files that take long begin first, lest one of them be all that is left to wait for; a file's size, vitest's own guess, does not tell. */
const longest = [
  'kills',
  'examples',
  'workloads',
  'cluster',
  'tune',
  'ui/',
  'as-flags',
  'fault-matrix',
  'threaded-runner',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ moduleId }: TestSpecification): number =>
      longest.some((name) => moduleId.split('/test/')[1]?.includes(name)) ? 0 : 1;
    return (await super.sort(files)).toSorted((a, b) => isShort(a) - isShort(b));
  }
}

/** A run inside a test's process does not collect that process's garbage first: of many test files that takes longer than the run. */
const noCollections = {
  name: 'no collections of garbage',
  enforce: 'pre' as const,
  load: (id: string) =>
    id.endsWith('/src/client/load/garbage.ts')
      ? 'export const widenNursery = () => {}; export const collectGarbage = () => {};'
      : null,
};

export default defineConfig({
  test: {
    // Tests that mostly wait for whole processes run side by side (`describe.concurrent`), but not so many that they starve.
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    // Time limits below are there against waiting for ever, and decide nothing else.
    projects: [
      {
        plugins: [noCollections],
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
      // Whole processes and real time: each file waits for half of its time, so that four of them keep two cores at work.
      {
        test: {
          name: 'e2e',
          // Not by `exclude`, which would leave out what a command line excludes.
          include: ['test/e2e/**/*.test.ts', 'test/real/**/*.test.ts', ...others],
          testTimeout: 400_000,
          hookTimeout: 400_000,
          isolate: false,
          maxWorkers: 4,
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
