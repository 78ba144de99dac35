import { printable } from '../core/index.ts';
import type { Ended } from '../core/index.ts';
import type { PhaseName } from '../load/index.ts';
import type { Batch, Claim, Word } from './cluster-words.ts';

/** What stands in Redis was written by others: whatever is not of our shape is null here, and nobody stumbles over it. */
export function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return null;
  }
}

/** A run has fewer asks than this. */
const mostAsks = 2 ** 28;
const mostClaimed = 10_000;
const mostInBatch = 10_000;
const says = new Set<unknown>([
  'joined',
  'ready',
  'leaving',
  'left',
  'returned',
  'idle',
  'drained',
  'health',
  'failed',
]);
const phases = new Set<unknown>(['warmup', 'measure']);
const outcomes = new Set<unknown>(['ok', 'failed', 'cancelled', 'dropped']);

/** What a worker said; its name is made fit for a terminal. */
export function readWord(text: string | undefined): Word | null {
  const word = readJson(text) as Word | null;
  if (!isObject(word) || !isName(word.member) || !says.has(word.say)) return null;
  if (word.say === 'returned') return isAsks(word.asks) ? word : null;
  if (word.say === 'failed') return { ...word, message: printableLines(word.message) };
  if (word.say === 'health') return isObject(word.clock) ? word : null;
  if (word.say !== 'joined') return word;
  const { worker, clock } = word;
  if (!isObject(worker) || !isName(worker.name) || !isName(worker.host) || !isObject(clock) || !isNumber(clock.rttMs))
    return null;
  const labels = isObject(worker.labels) ? worker.labels : {};
  return { ...word, worker: { ...worker, labels, name: printable(worker.name), host: printable(worker.host) } };
}

/** Numbers that somebody took. */
export function readClaim(fields: readonly string[]): Claim | null {
  const [, member, , phase, , from, , to] = fields;
  const claim = { member: member ?? '', phase: phase as PhaseName, from: Number(from), to: Number(to) };
  const isRange = isCount(claim.from) && isCount(claim.to) && claim.to - claim.from <= mostClaimed;
  return phases.has(phase) && isRange ? claim : null;
}

/** Exchanges of a worker; one of a wrong shape spoils its batch. */
export function readBatch(text: string | undefined): Batch | null {
  const batch = readJson(text) as Batch | null;
  if (!isObject(batch) || !isName(batch.member) || !isCount(batch.number) || !phases.has(batch.phase)) return null;
  const { progress, ended } = batch;
  if (!Array.isArray(progress) || progress.length !== 5 || !progress.every(isNumber)) return null;
  if (!isNumber(batch.upToMs) || !Array.isArray(ended) || ended.length > mostInBatch) return null;
  const warmup = batch.phase === 'warmup';
  return (ended as readonly Ended[]).every((one) => isEnded(one, warmup)) ? batch : null;
}

function isEnded(one: Ended, warmup: boolean): boolean {
  if (!isObject(one) || !isObject(one.exchange)) return false;
  const { seq, dueMs, endMs, outcome, chunks, labels } = one.exchange;
  return (
    one.exchange.warmup === warmup &&
    isCount(warmup ? -1 - seq : seq) &&
    isNumber(dueMs) &&
    isNumber(endMs) &&
    outcomes.has(outcome) &&
    isObject(labels) &&
    isObject(chunks) &&
    Array.isArray(chunks.atMs) &&
    Array.isArray(chunks.tokens)
  );
}

function isAsks(asks: unknown): boolean {
  return Array.isArray(asks) && asks.every((ask) => isObject(ask) && isCount((ask as { seq: unknown }).seq));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 200;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < mostAsks;
}

function printableLines(text: unknown): string {
  return String(text).slice(0, 10_000).split('\n').map(printable).join('\n');
}
