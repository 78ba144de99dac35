import type { Rehearsal } from '../../src/client/load/index.ts';

/** Goes without a rehearsal, whose collections of a whole test process's garbage take longer than most runs of tests. For tests that read no stamps. */
export const unrehearsed: Rehearsal = () => Promise.resolve();
