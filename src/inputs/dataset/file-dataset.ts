import { basename } from 'node:path';
import type { DatasetFacts, Mistake, Prompt, Workload } from '../../core/index.ts';
import { printable, UserError } from '../../core/index.ts';
import type { Dataset, Slice, Surveyed } from './dataset.ts';
import type { Scan } from './data-file.ts';
import { noPrompts, notUtf8 } from './dataset-mistakes.ts';
import type { DataFile } from './file-bytes.ts';
import { badTime, tooLongForModel } from './layout-mistakes.ts';
import { promptOf, parseRecord } from './record-format.ts';
import type { Draft, ReadContext, RecordFormat, RecordPlace, RecordRead } from './record-format.ts';
import { readRecords } from './record.ts';
import type { RawRecord } from './record.ts';
import { shuffledBatches } from './shuffle.ts';

/** Mistakes reported at once. */
const mostMistakes = 10;
/** Prompts checked before a run that has no count, of a file that is too large to be counted. */
const checkedUncounted = 10_000;
/** Files up to this size stay in memory once read, so that a short dataset cycles without touching the disk. */
const keptBytes = 8 * 1024 * 1024;
/** A plan holds a trace's gaps, so there is an end to them. */
const mostGaps = 1_000_000;

/** What a dataset over the records of one file is made from. */
export interface FileSource {
  spec: string;
  kind: string;
  format: RecordFormat;
  file: DataFile;
  scan: Scan;
  context: ReadContext;
  shuffle: boolean;
  contextTokens: number | null;
  settings: Readonly<Record<string, string | number | boolean>>;
}

/** A record that holds a prompt, or a mistake. */
interface Held {
  name: string;
  place: RecordPlace;
  read: { draft: Draft } | { mistake: Mistake };
}

/** A dataset over the records of one file, which is read again and again and never held whole unless it is small. */
export class FileDataset implements Dataset {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** Prompts in the file; null = not known yet. */
  #items: number | null;
  /** Requests that one pass over the file makes; null = not known yet, or no record is a conversation. */
  #asks: number | null = null;
  readonly gapsMs?: (slice: Slice) => Promise<number[]>;
  readonly promptsWithin?: (offset: number, requests: number) => Promise<number>;

  constructor(private readonly source: FileSource) {
    this.#items = source.format.filters === true ? null : source.scan.items;
    if (source.format.timed === true) this.gapsMs = (slice) => this.#gaps(slice);
    if (source.format.conversations === true) this.promptsWithin = (offset, requests) => this.#within(offset, requests);
  }

  facts({ offset, count }: Slice): DatasetFacts {
    const { spec, kind, file, scan, settings, format } = this.source;
    const items = this.#items;
    const asks = format.conversations === true ? this.#asks : items;
    return {
      spec,
      kind,
      name: printable(basename(file.path)),
      hash: scan.hash,
      items,
      bytes: file.bytes,
      offset: items === null ? offset : offset % items,
      ...(format.conversations === true && { asks }),
      cycled: asks !== null && count !== null && count > asks,
      ...(Object.keys(settings).length > 0 && { settings }),
    };
  }

  async check({ offset, count }: Slice): Promise<void> {
    const wanted = count ?? this.#items ?? checkedUncounted;
    if (wanted === 0) return;
    const mistakes = new Map<string, Mistake>();
    let wrong = 0;
    let checked = 0;
    for await (const { place, read } of this.#heldFrom(offset)) {
      const mistake = 'mistake' in read ? read.mistake : this.#tooLong(place, read.draft);
      if (mistake !== null) {
        wrong += 1;
        // The same wrong field on every line is one mistake.
        const key = mistake.code === 'dataset-wrong-field' ? mistake.message.en : `${place.line}`;
        if (!mistakes.has(key)) mistakes.set(key, mistake);
      }
      checked += turnsOf(read);
      const whole = this.#asks ?? (this.source.format.conversations === true ? null : this.#items);
      if (wrong >= mostMistakes || checked >= Math.min(wanted, whole ?? Infinity)) break;
    }
    if (mistakes.size > 0) throw new UserError([...mistakes.values()]);
  }

  workload(offset: number): Workload {
    const prompts = this.#promptsFrom(offset);
    const next = async (): Promise<Prompt | null> => (await prompts.next()).value ?? null;
    return this.source.format.conversations === true ? { next, conversations: true } : { next };
  }

  async *survey(): AsyncGenerator<Surveyed> {
    for await (const records of readRecords(this.source.file)) {
      for (const record of records) {
        const read = this.#read(record);
        if ('draft' in read) yield { prompt: this.#prompt(nameOf(record), read.draft) };
        else yield 'skip' in read ? read : { mistake: read.mistake.message, line: record.number };
      }
    }
  }

  async #gaps({ offset, count }: Slice): Promise<number[]> {
    const gaps: number[] = [];
    let before: number | null = null;
    let passes = 0;
    for await (const { place, read } of this.#heldFrom(offset, () => (passes += 1))) {
      if (passes > 0) break;
      if ('mistake' in read) throw new UserError(read.mistake);
      const { atMs } = read.draft;
      if (atMs === undefined || (before !== null && atMs < before))
        throw new UserError(badTime(place, String(atMs ?? '')));
      gaps.push(before === null ? 0 : atMs - before);
      before = atMs;
      if (gaps.length >= Math.min(count ?? mostGaps, mostGaps)) break;
    }
    return gaps;
  }

  async #within(offset: number, requests: number): Promise<number> {
    let [prompts, asks] = [0, 0];
    if (requests <= 0) return 0;
    for await (const { read } of this.#heldFrom(offset)) {
      prompts += 1;
      asks += turnsOf(read);
      if (asks >= requests) break;
    }
    return prompts;
  }

  async *#promptsFrom(offset: number): AsyncGenerator<Prompt, void> {
    const keep = this.source.file.bytes <= keptBytes;
    const kept: Prompt[] = [];
    for await (const { name, read } of this.#heldFrom(offset)) {
      if ('mistake' in read) throw new UserError(read.mistake);
      const prompt = this.#prompt(name, read.draft);
      if (keep) kept.push(prompt);
      yield prompt;
      if (keep && kept.length === this.#items) break;
    }
    for (;;) yield* kept;
  }

  /** Records that hold a prompt or a mistake, from number `offset` on, round and round. */
  async *#heldFrom(offset: number, onPass?: () => void): AsyncGenerator<Held> {
    const { file, format, shuffle, context } = this.source;
    let toSkip = this.#items === null ? offset : offset % this.#items;
    for (;;) {
      let [items, asks] = [0, 0];
      const skipped = toSkip > 0;
      const records = readRecords(file);
      for await (const batch of shuffle ? shuffledBatches(records, context.seed) : records) {
        for (const record of batch) {
          if (format.filters !== true && toSkip > 0) {
            items += 1;
            toSkip -= 1;
            continue;
          }
          const read = this.#read(record);
          if ('skip' in read) continue;
          items += 1;
          asks += turnsOf(read);
          if (toSkip > 0) toSkip -= 1;
          else yield { place: this.#place(record), name: nameOf(record), read };
        }
      }
      if (items === 0) throw new UserError(noPrompts(file.shown));
      this.#items = items;
      if (format.conversations === true && (!skipped || format.filters === true)) this.#asks = asks;
      onPass?.();
      toSkip %= items;
    }
  }

  #read(record: RawRecord): RecordRead {
    const { format, context } = this.source;
    const place = this.#place(record);
    if ('value' in record) {
      // A row of columns handed to a format of plain lines: its field is the line.
      return format.read(record.value, place, context);
    }
    let text: string;
    try {
      text = this.#utf8.decode(record.bytes);
    } catch {
      return { mistake: notUtf8(place) };
    }
    if (format.text === true) return format.read(text, place, context);
    const parsed = parseRecord(text, place, format, context.field);
    return 'mistake' in parsed ? parsed : format.read(parsed.value, place, context);
  }

  #place(record: RawRecord): RecordPlace {
    return { file: this.source.file.shown, line: record.number };
  }

  #prompt(name: string, draft: Draft): Prompt {
    return promptOf(name, draft, this.source.context);
  }

  #tooLong(place: RecordPlace, draft: Draft): Mistake | null {
    const { contextTokens, context } = this.source;
    if (contextTokens === null) return null;
    const input =
      draft.inputTokens ?? (draft.text === undefined ? null : (context.tokenizer?.count(draft.text) ?? null));
    if (input === null) return null;
    const tokens = input + (draft.maxTokens ?? 0);
    return tokens > contextTokens ? tooLongForModel(place, tokens, contextTokens) : null;
  }
}

/** Requests that a record makes: one, or the turns of its conversation. */
function turnsOf(read: Held['read']): number {
  return 'draft' in read ? (read.draft.script?.turns.length ?? 1) : 1;
}

/** Names a record within its file: by its line, and by its place there where a JSON array has several on one. */
function nameOf(record: RawRecord): string {
  const after = 'after' in record ? (record.after ?? 0) : 0;
  return after === 0 ? `line-${record.number}` : `line-${record.number}.${after + 1}`;
}
