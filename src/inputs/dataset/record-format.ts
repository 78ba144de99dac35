import type { LengthLaw, Message, Mistake, Phrase, Prompt, ThinkLaw } from '../../core/index.ts';
import { conversationPrompt, plainPrompt, thinkDrawer } from '../workload/index.ts';
import type { Script, WordSource } from '../workload/index.ts';
import { lineIsNotAnObject, lineIsNotJson } from './dataset-mistakes.ts';
import type { Layout } from './file-bytes.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Where a record stands, for the words of a mistake. */
export interface RecordPlace {
  file: string;
  line: number;
}

/** What formats may look at besides the record. */
export interface ReadContext {
  field: string | null;
  tokenizer: Tokenizer | null;
  /** Answer lengths that were asked for instead of the dataset's own. */
  output: LengthLaw | null;
  seed: number;
  /** Texts of a wanted length, for traces that hold lengths only. */
  words: WordSource;
  /** null = users do not think. */
  think: ThinkLaw | null;
  keepReasoning: boolean;
}

/** A prompt before it has its name: plain text, messages, or a conversation to be held. */
export interface Draft {
  text?: string;
  messages?: readonly Message[];
  script?: Pick<Script, 'system' | 'turns' | 'maxTokens'>;
  inputTokens?: number;
  maxTokens?: number;
  labels?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /** When it was asked, ms on the trace's own clock. */
  atMs?: number;
}

/** What one record holds: a prompt; nothing, by the format's own rules; or what is wrong with it. */
export type RecordRead = { draft: Draft } | { skip: Phrase } | { mistake: Mistake };

/** How one record becomes a prompt. Text formats are given the text, others the parsed object. */
export interface RecordFormat {
  about: Phrase;
  /** An example record, one line. */
  example: string;
  /** Lines are prompts as they stand; without it they are JSON. */
  text?: true;
  /** JSON that may be something else than an object. */
  anyJson?: true;
  /** Its rules leave records out, so only reading tells how many prompts there are. */
  filters?: true;
  /** Its rules count tokens. */
  needsTokenizer?: true;
  /** Its records are conversations, whose turns are asked one by one. */
  conversations?: true;
  /** It carries times, for `--arrival trace`. */
  timed?: true;
  /** What the file is when neither name nor content says. */
  layout?: Layout;
  /** The field whose absence is told first. */
  field: string;
  read(record: unknown, place: RecordPlace, context: ReadContext): RecordRead;
}

/** The object in a line of JSON, or what is wrong with it. */
export function parseRecord(
  text: string,
  place: RecordPlace,
  format: Pick<RecordFormat, 'field' | 'anyJson'>,
  field: string | null,
): { value: unknown } | { mistake: Mistake } {
  const wanted = field ?? format.field;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { mistake: lineIsNotJson(place, wanted, error instanceof Error ? error.message : '') };
  }
  if (format.anyJson !== true && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    return { mistake: lineIsNotAnObject(place, wanted, jsonKind(value)) };
  }
  return { value };
}

/** JSON's own word for what a value is. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** An own field of a stranger's object. */
export function fieldOf(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, name)
    ? (record as Record<string, unknown>)[name]
    : undefined;
}

/** The prompt of a draft. */
export function promptOf(
  id: string,
  draft: Draft,
  context: Pick<ReadContext, 'think' | 'seed' | 'keepReasoning'>,
): Prompt {
  const common = {
    inputTokens: draft.inputTokens ?? null,
    maxTokens: draft.maxTokens ?? null,
    labels: draft.labels ?? {},
    ...(draft.body !== undefined && { body: draft.body }),
  };
  if (draft.script !== undefined) {
    const { think, seed, keepReasoning } = context;
    const thinkMs = think === null ? null : thinkDrawer(think, seed, id);
    return conversationPrompt({ id, ...draft.script, thinkMs, keepReasoning });
  }
  if (draft.messages !== undefined) return { id, messages: draft.messages, text: draft.text ?? null, ...common };
  return { ...plainPrompt(id, draft.text ?? ''), ...common };
}
