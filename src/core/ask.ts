/** One message of a chat. Content is text, or the parts of a multimodal message as the wire takes them. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | readonly Readonly<Record<string, unknown>>[];
}

/** What the server said to an earlier turn, handed to Prompt.follow. */
export interface Answer {
  text: string;
  reasoning: string;
  outputTokens: number | null;
}

/** One thing to ask, as a workload supplies it, before anyone knows when or over which wire. */
export interface Prompt {
  /** Names the prompt within its dataset: the same prompt has the same id in every run. */
  id: string;
  /** The conversation so far; a plain prompt is one user message. */
  messages: readonly Message[];
  /** Raw text for completion-style wires; null = the last user message is used. */
  text: string | null;
  /** What the workload planned; null = not known before the server counts. */
  inputTokens: number | null;
  /** How long this answer may be; null = the plan's max tokens. */
  maxTokens: number | null;
  /** Who it belongs to: session, turn, group … */
  labels: Readonly<Record<string, string>>;
  /** Fields to put into the request body as they are. */
  body?: Readonly<Record<string, unknown>>;
  /** How long the user thinks before saying this, ms after the answer before it; absent = not at all. */
  thinkMs?: number;
  /** How many asks the conversation takes from this one on; absent = this one alone. */
  turns?: number;
  /** The conversation's next turn, or null when it is over. */
  follow?(answer: Answer): Prompt | null;
}

/** What is asked, as a stream of prompts read ahead of time; null = there are no more. */
export interface Workload {
  next(): Prompt | null | Promise<Prompt | null>;
  /** Prompts may be conversations: their further turns are asked too, and count as asks. */
  conversations?: true;
}

/** The generation settings that every ask of a run shares. */
export interface Generation {
  stream: boolean;
  /** null = left to the server. */
  maxTokens: number | null;
  minTokens: number | null;
  /** null = not sent, the server's default applies. */
  temperature: number | null;
  ignoreEos: boolean;
  stop: readonly string[];
  /** Fields put into every body as they are (`--body`). */
  body: Readonly<Record<string, unknown>>;
}

/** One request ready to be encoded by a protocol. */
export interface Ask {
  seq: number;
  prompt: Prompt;
  generation: Generation;
}
