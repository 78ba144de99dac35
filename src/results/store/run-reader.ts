import { join } from 'node:path';
import { userError } from '../../core/index.ts';
import type { AnswerText, Exchange, Summary } from '../../core/index.ts';
import { decodeAnswer, decodeExchange } from './exchange-line.ts';
import { readFacts, withFacts } from './facts.ts';
import { findEntry } from './find-entry.ts';
import { readJsonFile } from './json-file.ts';
import { readLines } from './read-lines.ts';
import { summarySchema } from './schema/index.ts';
import type { StoredRun } from './stored-entry.ts';

const maxLineBytes = 64 * 1024 * 1024;
const namedLines = 20;

/** What reading a file of records met; complete once the reading is over. */
export interface ReadingReport {
  /** Records read. */
  read: number;
  /** The last line was cut off (the writer was killed) and is left out. */
  torn: boolean;
  /** Lines that are no record and were skipped. */
  skipped: number;
  /** The first of them. */
  bad: { line: number; why: string }[];
}

/** Records one by one, and beside them what was met on the way. */
export interface RecordStream<T> extends AsyncIterable<T> {
  readonly report: ReadingReport;
}

/** The run that a word means: id, beginning of an id, label, path, `SWEEP/RUN`, `latest`. */
export async function openRun(store: string, word: string): Promise<StoredRun> {
  const entry = await findEntry(store, word);
  if (entry.kind === 'run') return entry;
  throw userError(
    'not-a-run',
    `${entry.id} is a sweep, not one run`,
    `${entry.id} 是一次扫描，不是单个运行`,
    `Name one of its runs: ${entry.record.points.map((id) => `${entry.id}/${id}`).join(', ')}`,
    `请指定其中的运行：${entry.record.points.map((id) => `${entry.id}/${id}`).join(', ')}`,
  );
}

/** The exchanges of a run in the order they ended, line by line in bounded memory. */
export function readExchanges(run: Pick<StoredRun, 'dir'>): RecordStream<Exchange> {
  return records(join(run.dir, 'exchanges.ndjson'), (line) => {
    const decoded = decodeExchange(line);
    return 'why' in decoded ? decoded : { record: decoded.exchange };
  });
}

/** The answers that were kept, line by line. */
export function readAnswers(run: Pick<StoredRun, 'dir'>): RecordStream<AnswerText> {
  return records(join(run.dir, 'answers.ndjson'), (line) => {
    const decoded = decodeAnswer(line);
    return 'why' in decoded ? decoded : { record: decoded.answer };
  });
}

/** What was sampled beside a run, line by line; a line that is no object with a kind and a time is skipped. */
export function readTelemetry(run: Pick<StoredRun, 'dir'>): RecordStream<Record<string, unknown>> {
  return records(join(run.dir, 'telemetry.ndjson'), (line) => {
    try {
      const value = JSON.parse(line) as unknown;
      const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
      return typeof record['kind'] === 'string' && Number.isFinite(record['atMs'])
        ? { record }
        : { why: 'no line of telemetry' };
    } catch {
      return { why: 'no JSON' };
    }
  });
}

function records<T>(file: string, decode: (line: string) => { record: T } | { why: string }): RecordStream<T> {
  const report: ReadingReport = { read: 0, torn: false, skipped: 0, bad: [] };
  async function* read(): AsyncGenerator<T> {
    Object.assign(report, { read: 0, torn: false, skipped: 0, bad: [] });
    for await (const { number, text, torn } of readLines(file, maxLineBytes)) {
      if (torn) {
        report.torn = true;
        return;
      }
      const decoded = text === null ? { why: 'line too long' } : decode(text);
      if ('why' in decoded) {
        report.skipped += 1;
        if (report.bad.length < namedLines) report.bad.push({ line: number, why: decoded.why });
      } else {
        report.read += 1;
        yield decoded.record;
      }
    }
  }
  return { report, [Symbol.asyncIterator]: read };
}

/** summary.json of a run; null = the run did not get that far. */
export async function readSummary(run: Pick<StoredRun, 'dir'>): Promise<Summary | null> {
  const summary = await readJsonFile(join(run.dir, 'summary.json'), 'llmdyno.summary/1', summarySchema);
  return summary === null ? null : withFacts(summary, (await readFacts(run.dir))?.own);
}
