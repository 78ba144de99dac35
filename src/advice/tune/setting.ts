/** A value of a server's setting. */
export type SettingValue = number | boolean | string;

/** Settings of a server by name, as the tune file names them. */
export type Settings = Readonly<Record<string, SettingValue>>;

/** How hard a trial loads the server: closed loop (concurrency), open loop (rate), or both. */
export interface TrialLoad {
  concurrency: number | null;
  ratePerSec: number | null;
}

/** One thing that can be tried: settings that need a restart, and a load that does not. */
export interface TunePoint {
  settings: Settings;
  load: TrialLoad;
}

/** The same point always gives the same text, whatever the order of its names. */
export function pointKey({ settings, load }: TunePoint): string {
  const named = Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([named, load.concurrency, load.ratePerSec]);
}

/** The same settings always give the same text: two points with one text need no restart between them. */
export function settingsKey(settings: Settings): string {
  return JSON.stringify(Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
