/** What a line of a trace may tell; times in ms. Absent = the line has no such key, null = it says that there is none. */
export type TraceFields = Partial<Record<TraceField, number | null>>;
type TraceField =
  | 'arrivalMs'
  | 'promptTokens'
  | 'outputTokens'
  | 'ttftMs'
  | 'tpotMs'
  | 'latencyMs'
  // Moments on the server's own clock, as vLLM writes them.
  | 'queuedMs'
  | 'firstMs'
  | 'lastMs';

/** Names under which other programs write the same, in lower case without separators; times may end in their unit. */
const counts: Readonly<Record<string, TraceField>> = {
  prompttokens: 'promptTokens',
  promptlen: 'promptTokens',
  promptlength: 'promptTokens',
  inputtokens: 'promptTokens',
  inputtoks: 'promptTokens',
  inputlen: 'promptTokens',
  inputlength: 'promptTokens',
  outputtokens: 'outputTokens',
  outputtoks: 'outputTokens',
  outputlen: 'outputTokens',
  outputlength: 'outputTokens',
  completiontokens: 'outputTokens',
};
const times: Readonly<Record<string, TraceField>> = {
  arrival: 'arrivalMs',
  arrivaltime: 'arrivalMs',
  timestamp: 'arrivalMs',
  ttft: 'ttftMs',
  timetofirsttoken: 'ttftMs',
  tpot: 'tpotMs',
  timeperoutputtoken: 'tpotMs',
  latency: 'latencyMs',
  e2elatency: 'latencyMs',
  e2el: 'latencyMs',
  queuedts: 'queuedMs',
  firsttokents: 'firstMs',
  lasttokents: 'lastMs',
};
const units: readonly (readonly [suffix: string, ms: number])[] = [
  ['milliseconds', 1],
  ['ms', 1],
  ['seconds', 1000],
  ['sec', 1000],
  ['s', 1000],
];

/** A key's meaning: the field and how many ms its unit has; null = the file does not say. */
interface Meaning {
  field: TraceField;
  unitMs: number | null;
}

/** Keys remembered: a file of ever other keys must not fill the memory. */
const mostKeys = 1000;

/** Reads objects of one trace, whatever they call their fields. */
export class TraceFieldReader {
  readonly #known = new Map<string, Meaning | null>();

  /** The fields of one object; `bareMs` = the ms in the unit of times whose name has none. */
  read(row: Readonly<Record<string, unknown>>, bareMs: number): TraceFields {
    const found: TraceFields = {};
    for (const key of Object.keys(row)) {
      const meaning = this.#meaningOf(key);
      if (meaning === null || (Object.hasOwn(found, meaning.field) && key !== meaning.field)) continue;
      const value = numberOf(row[key]);
      if (value === undefined) continue;
      found[meaning.field] = value === null ? null : value * (meaning.unitMs ?? bareMs);
    }
    return found;
  }

  /** Whether some of an object's times have no unit in their name. */
  hasBareTimes(row: Readonly<Record<string, unknown>>): boolean {
    return Object.keys(row).some((key) => this.#meaningOf(key)?.unitMs === null);
  }

  #meaningOf(key: string): Meaning | null {
    const remembered = this.#known.get(key);
    if (remembered !== undefined) return remembered;
    const meaning = spelled(key.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
    if (this.#known.size < mostKeys) this.#known.set(key, meaning);
    return meaning;
  }
}

function spelled(name: string): Meaning | null {
  if (Object.hasOwn(counts, name)) return { field: counts[name]!, unitMs: 1 };
  if (Object.hasOwn(times, name)) return { field: times[name]!, unitMs: null };
  for (const [suffix, unitMs] of units) {
    const stem = name.endsWith(suffix) ? name.slice(0, -suffix.length) : '';
    if (Object.hasOwn(times, stem)) return { field: times[stem]!, unitMs };
  }
  return null;
}

/** A number, also as text; undefined = something else. */
function numberOf(value: unknown): number | null | undefined {
  if (value === null) return null;
  const number = typeof value === 'string' && /^\s*-?\d/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
