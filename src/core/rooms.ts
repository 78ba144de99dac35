/**
 * The folders of src and the rooms in them, from top to bottom: the one place where this is written. An import points only upward,
 * to a folder of a line above or to a room that stands earlier in the same folder; folders of one line do not know each other.
 * The command line stands below the page because `dyno ui` starts it.
 * test/house reads the imports and compares.
 */
export const floors = [
  { core: [''] },
  { inputs: ['workload', 'dataset', 'arrival', 'hardware'] },
  {
    client: ['protocol', 'load', 'cluster', 'telemetry'],
    engine: ['sim', 'http'],
    results: ['measure', 'audit', 'store', 'report', 'picture'],
  },
  { advice: ['fit', 'plan', 'tune', 'doctor', 'selftest'], tools: [''] },
  { lab: [''] },
  { library: [''], web: [''] },
  { cli: [''] },
] as const satisfies readonly Readonly<Record<string, readonly string[]>>[];

/** Rooms that name no node module, no process, no clock and no chance of their own: these come in as arguments. */
export const pureRooms: ReadonlySet<string> = new Set([
  'core',
  'inputs/workload',
  'inputs/arrival',
  'inputs/hardware',
  'client/protocol',
  'engine/sim',
  'results/measure',
  'results/audit',
  'results/report',
  'advice/fit',
  'advice/plan',
  'tools',
]);
