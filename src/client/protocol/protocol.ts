import type { ServerStamp } from './server-stamp.ts';
import type { ApiName, Ask, OutputKind, ProblemCode, ServerTimes, Target } from '../../core/index.ts';

/** One HTTP request, ready to be written; host, length and connection headers are the sender's business. */
export interface HttpCall {
  method: 'GET' | 'POST';
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
}

/** What a listener understood from the bytes it was given. */
export type ParsedEvent =
  /** Output text of one kind, from so many events; tokens = what the server said it holds, null = it did not say. */
  | { kind: 'text'; of: OutputKind; text: string; events: number; tokens: number | null }
  /** All text of one kind so far was this: the pieces heard before had said some of it twice. */
  | { kind: 'restated'; of: OutputKind; text: string }
  | { kind: 'usage'; input: number | null; output: number | null; cached: number | null; reasoning: number | null }
  | { kind: 'finish'; reason: string }
  /** What the server says of the steps that made the output so far: one entry per token (MindIE); times where nothing is streamed. */
  | { kind: 'steps'; batchSize: number[]; queueWaitMs: number[]; timesMs?: number[] }
  /** What the server says of the whole request's times, by its own clock. */
  | { kind: 'times'; times: ServerTimes }
  /** When a stamped server says it emitted the output that follows: nanoseconds of a clock of this host. */
  | { kind: 'stamp'; emitNs: bigint }
  | { kind: 'problem'; code: ProblemCode; words: string };

/** Where one event's values stand in the bytes it came in. */
export interface TextPlace {
  /** Whose text it is. */
  of: OutputKind | null;
  textFrom: number;
  textTo: number;
  /** The server's stamp as it is written; empty = the event has none, or it stands in the text. */
  stampFrom: number;
  stampTo: number;
}

/** Takes text as bytes, so that nothing has to be made of it while reads wait to be stamped. */
export interface TextSink {
  /** One event of output; `text` is given where its bytes had escapes. Buffer and place are only borrowed for the call. */
  piece(buffer: Uint8Array, place: TextPlace, text: string | null): void;
}

/** Hears one answer. Pure: bytes in, facts out; knows neither sockets nor clocks. */
export interface Listener {
  /** The next bytes of the body, split anywhere. The bytes are only borrowed for the call. */
  hear(bytes: Uint8Array): ParsedEvent[];
  /**
   * The fast path: bytes `from` to `to` are the next of the body. Hands the text of whole events that it understands in place to
   * `ear`, and returns where the first byte is that it did not take; whatever else these events said is returned by the next
   * `hear`.
   */
  parseFast?(buffer: Uint8Array, from: number, to: number, ear: TextSink): number;
  /** The body ended properly; what is still missing is said now. */
  close(): ParsedEvent[];
  /** Everything was said: what may still come is only the end of the body. Absent = only that end tells. */
  readonly complete?: boolean;
  /** Bytes held of what is not whole yet. */
  readonly heldBytes: number;
}

/** How the answer arrives, known from its headers. */
export interface AnswerShape {
  /** Asked to be streamed. */
  stream: boolean;
  contentType: string;
  /** How many answers were asked for at once; absent = one. */
  choices?: number;
  /** What was asked, for wires that say it again before the answer; absent = not known. */
  promptText?: string | null;
  /** How the server stamps its events; absent = as plainStamp says, where it does. */
  stamp?: ServerStamp;
}

/** One wire: how asks are said and answers heard. */
export interface Protocol {
  name: ApiName;
  /** Path put behind a bare host; the last part also recognises full URLs. */
  path: string;
  /** Path put behind a bare host when answers are not streamed; absent = the same. `{model}` stands in both for the model. */
  wholePath?: string;
  /** Its servers list their models under /v1/models, and how many tokens each takes; absent = not worth asking. */
  listsModels?: true;
  /** How an API key is said; absent = `authorization: Bearer KEY`. */
  keyHeader?: string;
  encode(ask: Ask, target: Target): HttpCall;
  /** Whether answers of this shape come in pieces (so that token times mean something). */
  streams(shape: AnswerShape): boolean;
  listen(shape: AnswerShape): Listener;
}
