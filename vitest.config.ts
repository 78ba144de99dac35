import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Rooms keep no state that a test could leave behind; loading them again for each file took most of the time.
          isolate: false,
          include: [
            'src/**/*.test.ts',
            'test/house/**/*.test.ts',
            'test/contract/**/*.test.ts',
            'test/laws/**/*.test.ts',
          ],
          testTimeout: 30_000,
        },
      },
      // Whole processes and real time: one file at a time, so that they do not disturb each other's clocks.
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/real/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
