import v8 from 'node:v8';

/** How often code runs before V8 compiles it for speed: the settings of a V8 that say so, and what they usually are. */
const countedRuns = { 'invocation-count-for-maglev': 400, 'invocation-count-for-turbofan': 3000 };
const settingsOf: Partial<Record<string, Record<string, number>>> = {
  // Node 20, 22, 24 and 25. A V8 that does not know a setting complains on stderr.
  11: { 'interrupt-budget': 67_584 },
  12: countedRuns,
  13: countedRuns,
  14: countedRuns,
};

const laterTimes = 200;

/**
 * Has code compiled for speed only when it has run 200 times as often as usual. Compilers take a processor for milliseconds, on a host of
 * two maybe the one that the other side of a request waits for; under a light load all that they save is less than that. A heavy
 * one runs its code so often that it is compiled soon anyway. What has counted its runs so far still does so to the end.
 */
export function compileLater(): void {
  compileAfter(laterTimes);
}

export function compileAsUsual(): void {
  compileAfter(1);
}

function compileAfter(times: number): void {
  const settings = Object.entries(settingsOf[process.versions.v8.split('.', 1)[0]!] ?? {});
  for (const [name, usual] of settings) v8.setFlagsFromString(`--${name}=${times * usual}`);
}
