import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { inputTokensOf, outputTokensOf } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { parseJson } from './json-file.ts';
import { decodeExchange } from './exchange-line.ts';
import type { StoredRun } from './stored-entry.ts';
import { systemCode } from './store-error.ts';

/** What a table shows of one request, without the stamps of its tokens; NaN stands for not known. */
export interface ScannedRow {
  seq: number;
  warmup: boolean;
  dueMs: number;
  sentMs: number;
  firstOutputMs: number;
  endMs: number;
  inputTokens: number;
  outputTokens: number;
  outcome: Exchange['outcome'];
  /** Code of its problem; null = ended ok. */
  problem: string | null;
  /** Where its line begins in exchanges.ndjson, and how long it is without the newline. */
  atByte: number;
  bytes: number;
}

/** Rows of a stretch of the file, and where the next stretch begins. */
export interface Scanned {
  rows: ScannedRow[];
  nextByte: number;
  /** Nothing whole is left behind nextByte. */
  atEnd: boolean;
}

const stretchBytes = 4 * 1024 * 1024;
const longestLine = 64 * 1024 * 1024;
const chunksWord = Buffer.from(',"chunks":{"atMs":[');
const endWord = Buffer.from('},"endMs":');
const newline = 0x0a;

/**
 * The next rows of a run behind a byte (a line's beginning): at most a few MiB of the file, whole lines only, so that a
 * growing file can be followed by asking again. The stamps of tokens, most of the file, are skipped unread.
 */
export async function scanExchanges(run: Pick<StoredRun, 'dir'>, fromByte: number): Promise<Scanned> {
  let handle;
  try {
    handle = await open(join(run.dir, 'exchanges.ndjson'), 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { rows: [], nextByte: fromByte, atEnd: true };
    throw error;
  }
  try {
    for (let size = stretchBytes; ; size *= 4) {
      const buffer = Buffer.allocUnsafe(size);
      const { bytesRead } = await handle.read(buffer, 0, size, fromByte);
      const whole = buffer.subarray(0, bytesRead).lastIndexOf(newline) + 1;
      const atEnd = bytesRead < size;
      // A line longer than the stretch: read a longer one.
      if (whole === 0 && !atEnd && size < longestLine) continue;
      const rows = rowsIn(buffer.subarray(0, whole), fromByte);
      return { rows, nextByte: fromByte + whole, atEnd };
    }
  } finally {
    await handle.close();
  }
}

/** One exchange by the place of its line, as a scan told it; null = no record stands there. */
export async function exchangeAt(
  run: Pick<StoredRun, 'dir'>,
  place: Pick<ScannedRow, 'atByte' | 'bytes'>,
): Promise<Exchange | null> {
  const handle = await open(join(run.dir, 'exchanges.ndjson'), 'r');
  try {
    const buffer = Buffer.allocUnsafe(place.bytes);
    const { bytesRead } = await handle.read(buffer, 0, place.bytes, place.atByte);
    const decoded = decodeExchange(buffer.subarray(0, bytesRead).toString('utf8'));
    return 'exchange' in decoded ? decoded.exchange : null;
  } finally {
    await handle.close();
  }
}

function rowsIn(lines: Buffer, fromByte: number): ScannedRow[] {
  const rows: ScannedRow[] = [];
  let start = 0;
  while (start < lines.length) {
    const end = lines.indexOf(newline, start);
    const row = rowOf(lines.subarray(start, end));
    if (row !== null) rows.push({ ...row, atByte: fromByte + start, bytes: end - start });
    start = end + 1;
  }
  return rows;
}

/** A line that is no record gives null; readExchanges names such lines. */
function rowOf(line: Buffer): Omit<ScannedRow, 'atByte' | 'bytes'> | null {
  const parsed = withoutChunks(line) ?? wholeLine(line);
  if (parsed === null) return null;
  const { exchange: x, firstOutputMs } = parsed;
  if (!Number.isInteger(x.seq) || typeof x.endMs !== 'number' || typeof x.dueMs !== 'number') return null;
  return {
    seq: x.seq,
    warmup: x.warmup,
    dueMs: x.dueMs,
    sentMs: x.sentMs ?? NaN,
    firstOutputMs,
    endMs: x.endMs,
    inputTokens: inputTokensOf(x) ?? NaN,
    outputTokens: outputTokensOf(x) ?? NaN,
    outcome: x.outcome,
    problem: x.problem?.code ?? null,
  };
}

interface Parsed {
  exchange: Exchange;
  firstOutputMs: number;
}

/** The record around its chunks, as encodeExchange lays it out; null = laid out otherwise. */
function withoutChunks(line: Buffer): Parsed | null {
  const chunks = line.indexOf(chunksWord);
  if (chunks < 0) return null;
  const first = chunks + chunksWord.length;
  const end = line.indexOf(endWord, first);
  if (end < 0) return null;
  const firstOutputMs = Number.parseFloat(line.toString('latin1', first, first + 24));
  try {
    const text = `${line.toString('utf8', 0, chunks)}${line.toString('utf8', end + 1)}`;
    return { exchange: parseJson(text) as Exchange, firstOutputMs };
  } catch {
    return null;
  }
}

function wholeLine(line: Buffer): Parsed | null {
  const decoded = decodeExchange(line.toString('utf8'));
  if ('why' in decoded) return null;
  return { exchange: decoded.exchange, firstOutputMs: decoded.exchange.chunks.atMs[0] ?? NaN };
}
