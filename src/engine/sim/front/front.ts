/**
 * What one process in front of an engine takes: it tokenises prompts one after the other, and has one loop through which
 * everything passes that comes in or goes out.
 */
export interface FrontCost {
  /** The tokeniser, for each token of a prompt. */
  tokenizeMsPerToken: number;
  /** The loop, each time that a request passes it on its way in, and once more when its answer is over. */
  requestMs: number;
  /** The loop, for each token of a prompt that comes from the tokeniser; absent = 0. */
  promptMsPerToken?: number;
  /** The loop, for each step whose tokens go out, and for each of them. */
  stepMs: number;
  tokenMs: number;
}

/** A request on its way in. */
interface Entering {
  id: number;
  promptTokens: number;
  /** When it comes to its next place. */
  atMs: number;
}

/** Tokens of a step that pass the loop without anybody else being let in between (vLLM's VLLM_V1_OUTPUT_PROC_CHUNK_SIZE). */
const sliceTokens = 128;
/** What is left of a token's cost where it goes out in one piece with the token before it. */
const mergedShare = 0.3;

/** Times that a request passes the loop between the tokeniser and the engine. */
const passes = 3;

/** The front as two stations that serve one at a time, first come, first served. */
export class Front {
  #loopFreeMs = -Infinity;
  /** When it begins with the latest step's tokens. */
  #beginsMs = -Infinity;
  #tokenizerFreeMs = -Infinity;
  #loopMs = 0;
  #tokenizerMs = 0;
  #waitedMs = 0;
  #deliveringMs = 0;
  /** Waiting lines before each pass of the loop: those just come, those tokenised, ... */
  readonly #lines: Entering[][] = Array.from({ length: passes + 1 }, () => []);

  constructor(private readonly cost: FrontCost) {}

  /** Processor time that its two stations took. */
  get busyMs(): number {
    return this.#loopMs + this.#tokenizerMs;
  }

  /** Time that steps' tokens waited for the front, divided by the time it spent on them; 0 = none waited. */
  get backlogRatio(): number {
    return this.#deliveringMs === 0 ? 0 : this.#waitedMs / this.#deliveringMs;
  }

  /** A request comes in. */
  take(id: number, atMs: number, promptTokens: number): void {
    this.#lines[0]!.push({ id, promptTokens, atMs });
  }

  /** When something is to happen in it next; Infinity = nothing is on its way in. */
  nextMs(): number {
    let nextMs = Infinity;
    for (const [first] of this.#lines) if (first !== undefined && first.atMs < nextMs) nextMs = first.atMs;
    return nextMs;
  }

  /** Handles the next event; returns the request that reaches the engine with it, and when. */
  pass(): { id: number; atMs: number } | null {
    const nextMs = this.nextMs();
    const at = this.#lines.findIndex((line) => line[0]?.atMs === nextMs);
    const own = this.#lines[at]!.shift()!;
    const promptMs = at === 1 ? (this.cost.promptMsPerToken ?? 0) * own.promptTokens : 0;
    own.atMs = this.#loop(own.atMs, this.cost.requestMs + promptMs);
    if (at === 0) {
      const tokenizeMs = this.cost.tokenizeMsPerToken * own.promptTokens;
      this.#tokenizerMs += tokenizeMs;
      own.atMs = Math.max(own.atMs, this.#tokenizerFreeMs) + tokenizeMs;
      this.#tokenizerFreeMs = own.atMs;
    }
    const after = this.#lines[at + 1];
    if (after === undefined) return { id: own.id, atMs: own.atMs };
    after.push(own);
    return null;
  }

  /**
   * A step's tokens come out of the engine; says when the clients have them. A small step that comes before the loop has
   * begun with the one before it goes out in one piece with that one: vLLM hands all steps that wait to its requests before any of them writes.
   * Answers that are over with the step take the loop once more behind it; their clients do not wait for that.
   */
  deliver(atMs: number, tokens: number, answersOver = 0): number {
    const merges = tokens <= sliceTokens && atMs < this.#beginsMs;
    const ms = this.cost.stepMs + this.cost.tokenMs * tokens * (merges ? mergedShare : 1);
    this.#beginsMs = Math.max(this.#loopFreeMs, atMs);
    this.#waitedMs += Math.max(0, this.#loopFreeMs - atMs);
    this.#deliveringMs += ms;
    const toldMs = this.#loop(atMs, ms);
    this.#loop(toldMs, this.cost.requestMs * answersOver);
    return toldMs;
  }

  #loop(atMs: number, ms: number): number {
    this.#loopMs += ms;
    this.#loopFreeMs = Math.max(this.#loopFreeMs, atMs) + ms;
    return this.#loopFreeMs;
  }
}
