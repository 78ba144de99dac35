import { basename } from 'node:path';
import type { DatasetFacts, Mistake, Prompt, Workload } from '../core/index.ts';
import { printable, UserError } from '../core/index.ts';
import { plainPrompt } from '../workload/index.ts';
import type { Dataset, Slice } from './dataset.ts';
import { noPrompts, notUtf8 } from './dataset-mistakes.ts';
import { lineFormats } from './line-formats.ts';
import type { LineFormatName, LineRead } from './line-formats.ts';
import { isBlank, readLines } from './line-reader.ts';
import type { RawLine, TextFile } from './line-reader.ts';
import type { Scan } from './text-file.ts';

/** Mistakes reported at once. */
const mostMistakes = 10;
/** Prompts checked before a run that has no count, of a file that is too large to be counted. */
const checkedUncounted = 10_000;
/** Files up to this size stay in memory once read, so that a short dataset cycles without touching the disk. */
const keptBytes = 8 * 1024 * 1024;

/** What a dataset over the lines of one file is made from. */
export interface FileSource {
  spec: string;
  format: LineFormatName;
  field: string | null;
  file: TextFile;
  scan: Scan;
}

/** A dataset over the lines of one file, which is read again and again and never held whole unless it is small. */
export class FileDataset implements Dataset {
  readonly #source: FileSource;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #items: number | null;

  constructor(source: FileSource) {
    this.#source = source;
    this.#items = source.scan.items;
  }

  facts({ offset, count }: Slice): DatasetFacts {
    const { spec, format, file, scan } = this.#source;
    const items = this.#items;
    return {
      spec,
      kind: format,
      name: printable(basename(file.path)),
      hash: scan.hash,
      items,
      bytes: file.bytes,
      offset: items === null ? offset : offset % items,
      cycled: items !== null && count !== null && count > items,
    };
  }

  async check({ offset, count }: Slice): Promise<void> {
    const wanted = count ?? this.#items ?? checkedUncounted;
    if (wanted === 0) return;
    const mistakes = new Map<string, Mistake>();
    let wrong = 0;
    let checked = 0;
    for await (const line of this.#linesFrom(offset)) {
      const read = this.#read(line);
      if ('mistake' in read) {
        wrong += 1;
        // The same wrong field on every line is one mistake.
        const { code, message, place } = read.mistake;
        const key = code === 'dataset-wrong-field' ? message.en : `${place?.line}`;
        if (!mistakes.has(key)) mistakes.set(key, read.mistake);
      }
      checked += 1;
      if (wrong >= mostMistakes || checked >= Math.min(wanted, this.#items ?? Infinity)) break;
    }
    if (mistakes.size > 0) throw new UserError([...mistakes.values()]);
  }

  workload(offset: number): Workload {
    const prompts = this.#promptsFrom(offset);
    return { next: async () => (await prompts.next()).value ?? null };
  }

  async *#promptsFrom(offset: number): AsyncGenerator<Prompt, void> {
    const keep = this.#source.file.bytes <= keptBytes;
    const kept: Prompt[] = [];
    for await (const line of this.#linesFrom(offset)) {
      const read = this.#read(line);
      if ('mistake' in read) throw new UserError(read.mistake);
      const prompt = plainPrompt(`line-${line.number}`, read.text);
      if (keep) kept.push(prompt);
      yield prompt;
      if (keep && kept.length === this.#items) break;
    }
    for (;;) yield* kept;
  }

  /** Lines that hold something, from number `offset` on, round and round. */
  async *#linesFrom(offset: number): AsyncGenerator<RawLine> {
    const { file } = this.#source;
    let toSkip = this.#items === null ? offset : offset % this.#items;
    for (;;) {
      let items = 0;
      for await (const lines of readLines(file)) {
        for (const line of lines) {
          if (isBlank(line.bytes)) continue;
          items += 1;
          if (toSkip > 0) toSkip -= 1;
          else yield line;
        }
      }
      if (items === 0) throw new UserError(noPrompts(file.shown));
      this.#items = items;
      toSkip %= items;
    }
  }

  #read(line: RawLine): LineRead {
    const { file, format, field } = this.#source;
    const place = { file: file.shown, line: line.number };
    let text: string;
    try {
      text = this.#utf8.decode(line.bytes);
    } catch {
      return { mistake: notUtf8(place) };
    }
    return lineFormats[format].read(text, place, field);
  }
}
