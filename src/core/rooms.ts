/** What a room may import besides core and itself, and whether it may touch the outside world. */
export interface RoomRule {
  /** Pure rooms name no node module, no process, no clock and no chance of their own. */
  pure: boolean;
  mayImport: readonly string[];
}

const pure = (...mayImport: string[]): RoomRule => ({ pure: true, mayImport });
const worldly = (...mayImport: string[]): RoomRule => ({ pure: false, mayImport });

/**
 * Who may import whom: the one place this is written. test/house/import-table.test.ts reads the imports and compares.
 * `*` = every room except the ones after it with a minus.
 */
export const rooms = {
  core: pure(),
  workload: pure(),
  dataset: worldly('workload'),
  arrival: pure(),
  protocol: pure(),
  load: worldly('arrival', 'workload', 'protocol'),
  sim: pure('arrival', 'workload', 'hardware'),
  fit: pure('sim', 'measure', 'audit', 'arrival', 'workload', 'hardware'),
  engine: worldly('sim'),
  hardware: pure(),
  telemetry: worldly('hardware'),
  measure: pure(),
  audit: pure('measure'),
  store: worldly(),
  lab: worldly('*', '-cli', '-web'),
  import: pure(),
  report: pure('measure'),
  picture: worldly(),
  plan: pure('measure', 'hardware'),
  tune: worldly('measure', 'audit', 'plan', 'fit', 'sim', 'store'),
  doctor: worldly('telemetry', 'hardware', 'protocol', 'load'),
  selftest: worldly('load', 'measure', 'protocol', 'arrival', 'workload'),
  cluster: worldly('load', 'arrival', 'workload'),
  web: worldly('*', '-cli'),
  cli: worldly('*'),
} as const satisfies Record<string, RoomRule>;

export type RoomName = keyof typeof rooms;
