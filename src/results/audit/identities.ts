import { halfUlp } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import { known, relativeRoom, roomOf } from './printed-room.ts';

/** A figure that the source prints and that its other figures determine. */
export interface Identity {
  /** The formula in words of the source. */
  formula: string;
  /** Key of the printed figure, as in Summary.printed. */
  key: string;
  said: number;
  computed: number;
  /** How far apart they may be by rounding alone. */
  room: number;
}

/** Whether the two sides are further apart than their digits allow. */
export function broken(identity: Identity): boolean {
  return Math.abs(identity.said - identity.computed) > identity.room * 1.02 + 1e-9 * Math.abs(identity.said);
}

/** A printed figure that enters a formula. */
interface Term {
  key: string;
  value: number | null | undefined;
}

/** numerator / denominator against what was said, with the room that all digits leave. */
function ratio(
  point: Summary,
  formula: string,
  said: Term,
  numerators: readonly Term[],
  denominator: Term,
  scale = 1,
): Identity | null {
  if (!known(said.value) || !known(denominator.value) || denominator.value === 0) return null;
  let computed = scale / denominator.value;
  let relative = relativeRoom(point, denominator.key, denominator.value);
  for (const term of numerators) {
    if (!known(term.value)) return null;
    computed *= term.value;
    relative += relativeRoom(point, term.key, term.value);
  }
  return {
    formula,
    key: said.key,
    said: said.value,
    computed,
    room: roomOf(point, said.key, said.value) + Math.abs(computed) * relative,
  };
}

/** Tools that take means of rates over time slices, or another clock for rates than for the duration they print. */
const slicedTools = new Set(['guidellm', 'aiperf', 'genai-perf']);

/** Whether rates and duration of the point's tool share one clock, so that identities hold to the digit. */
export function sharesClock(point: Summary): boolean {
  return !slicedTools.has(point.source.tool);
}

/** requests per second = ok / duration. */
export function rateIdentity(point: Summary): Identity | null {
  return ratio(
    point,
    'requests per second = succeeded / duration',
    { key: 'requestsPerSec', value: point.requestsPerSec },
    [{ key: 'exact', value: point.counts.ok }],
    { key: 'durationMs', value: point.durationMs },
    1000,
  );
}

/** output tokens per second = ok · mean output tokens / duration. */
export function throughputIdentity(point: Summary): Identity | null {
  if (!sharesClock(point)) return null;
  return ratio(
    point,
    'output tokens per second = succeeded × mean output tokens / duration',
    { key: 'outputTokensPerSec', value: point.outputTokensPerSec },
    [
      { key: 'exact', value: point.counts.ok },
      { key: 'outputTokens.mean', value: point.outputTokens?.mean },
    ],
    { key: 'durationMs', value: point.durationMs },
    1000,
  );
}

/** Every other identity that the point's figures allow; each is null where a term is missing. */
export function otherIdentities(point: Summary): Identity[] {
  const found = [...totalIdentities(point), ...mindieIdentities(point), ...evalscopeIdentities(point)];
  return found.filter((identity) => identity !== null);
}

function printedNumber(point: Summary, key: string): number | null {
  const digits = Object.hasOwn(point.printed, key) ? Number(point.printed[key]) : NaN;
  return Number.isFinite(digits) ? digits : null;
}

function totalIdentities(point: Summary): (Identity | null)[] {
  if (!sharesClock(point)) return [];
  const duration = { key: 'durationMs', value: point.durationMs };
  const output = printedNumber(point, 'totals.outputTokens');
  const input = printedNumber(point, 'totals.inputTokens');
  const total = input === null || output === null ? null : input + output;
  return [
    ratio(
      point,
      'output tokens per second = generated tokens / duration',
      { key: 'outputTokensPerSec', value: point.outputTokensPerSec },
      [{ key: 'exact', value: output }],
      duration,
      1000,
    ),
    ratio(
      point,
      'input tokens per second = input tokens / duration',
      { key: 'inputTokensPerSec', value: point.inputTokensPerSec },
      [{ key: 'exact', value: input }],
      duration,
      1000,
    ),
    ratio(
      point,
      'total tokens per second = (input + generated tokens) / duration',
      { key: 'totalTokensPerSec', value: point.totalTokensPerSec },
      [{ key: 'exact', value: total }],
      duration,
      1000,
    ),
    // Short runs print few digits of their duration; the two rates compared with each other do not need it.
    ratio(
      point,
      'requests per second = output tokens per second × succeeded / generated tokens',
      { key: 'requestsPerSec', value: point.requestsPerSec },
      [
        { key: 'outputTokensPerSec', value: point.outputTokensPerSec },
        { key: 'exact', value: point.counts.ok },
      ],
      { key: 'exact', value: output },
    ),
    Object.hasOwn(point.printed, 'outputTokens.mean')
      ? ratio(
          point,
          'tokens per request = generated tokens / succeeded',
          { key: 'outputTokens.mean', value: point.outputTokens?.mean },
          [{ key: 'exact', value: output }],
          { key: 'exact', value: point.counts.ok },
        )
      : null,
  ];
}

/** MindIE Benchmark: docs/guide/import.md explains each figure. */
function mindieIdentities(point: Summary): (Identity | null)[] {
  const server = (name: string): Term => {
    const value = point.server !== null && Object.hasOwn(point.server, name) ? point.server[name] : null;
    return { key: `server.${name}`, value: typeof value === 'number' ? value : null };
  };
  return [
    ratio(
      point,
      'lpct = mean FirstTokenTime / mean InputTokens',
      server('lpctMs'),
      [{ key: 'ttftMs.mean', value: point.ttftMs?.mean }],
      { key: 'inputTokens.mean', value: point.inputTokens?.mean },
    ),
    ratio(
      point,
      'GenerateSpeedPerClient = GenerateSpeed / Concurrency',
      server('generateSpeedPerClient'),
      [{ key: 'outputTokensPerSec', value: point.outputTokensPerSec }],
      { key: 'exact', value: point.load.concurrency },
    ),
    ratio(
      point,
      'CharactersPerToken = mean GeneratedCharacters / mean GeneratedTokens',
      server('CharactersPerToken.mean'),
      [server('GeneratedCharacters.mean')],
      { key: 'outputTokens.mean', value: point.outputTokens?.mean },
    ),
  ];
}

/** evalscope up to 0.8 prints the inverse of the throughput as "time per output token"; it covers the throughput's digits. */
function evalscopeIdentities(point: Summary): (Identity | null)[] {
  const said = printedNumber(point, 'tpotMs.mean');
  const rate = point.outputTokensPerSec;
  if (point.tpotMs !== null || point.source.tool !== 'evalscope' || said === null || !known(rate) || rate === 0)
    return [];
  // Later versions print 0 for a run that was not streamed; they no longer print the expected number of requests.
  if (said === 0 && !Object.hasOwn(point.printed, 'counts.planned')) return [];
  const computed = 1 / rate;
  const room = halfUlp(point.printed['tpotMs.mean']!) + computed * relativeRoom(point, 'outputTokensPerSec', rate);
  return [{ formula: 'time per output token = 1 / throughput', key: 'tpotMs.mean', said, computed, room }];
}
