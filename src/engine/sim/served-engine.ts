import type { EngineCore } from './engine-core.ts';
import type { EngineRequest, Finish } from './engine-events.ts';
import { WayIn } from './front/way-in.ts';

/** An engine behind its front, as clients know it: requests are sent, and answers are heard, in virtual time. */
export class ServedEngine {
  readonly #wayIn: WayIn;
  /** Out of the engine, not heard yet; in order. */
  #leaving: Finish[] = [];

  constructor(
    private readonly core: EngineCore,
    /** From the send until the server knows of a request. */
    overheadMs: number,
    /** Hears when the headers of an answer are sent, where a front tokenises first. */
    onHeaders: (id: number, atMs: number) => void = () => {},
  ) {
    this.#wayIn = new WayIn(core.front, overheadMs, onHeaders);
  }

  /** A request is sent at its arrivalMs. */
  send(request: EngineRequest): void {
    this.#wayIn.send(request);
  }

  /** Takes a request out, wherever it is; says when clients had the tokens that they have by `nowMs`. */
  cancel(id: number, nowMs: number): number[] {
    const left = this.#leaving.find((finish) => finish.id === id);
    const times = left?.tokenAtMs ?? this.core.tokenTimes(id);
    if (left !== undefined) this.#leaving = this.#leaving.filter((finish) => finish !== left);
    else if (!this.core.cancel(id)) this.#wayIn.cancel(id);
    return times.filter((atMs) => atMs <= nowMs);
  }

  /** Lets everything happen up to untilMs, or up to the first answers that end before; those are told. */
  advance(untilMs: number): Finish[] {
    const { core } = this;
    for (;;) {
      const inMs = this.#wayIn.nextMs();
      const outMs = this.#leaving[0]?.endMs ?? Infinity;
      const nextMs = Math.min(untilMs, inMs, outMs);
      const finishes = core.advance(nextMs);
      if (finishes.length > 0 && core.front === null) return finishes;
      if (finishes.length > 0) this.#leaving.push(...finishes);
      else if (outMs <= nextMs && outMs < Infinity) return this.#heard(outMs);
      else if (inMs <= nextMs && inMs < Infinity) this.#enter();
      else return [];
    }
  }

  #heard(endMs: number): Finish[] {
    const count = this.#leaving.findIndex((finish) => finish.endMs > endMs);
    return this.#leaving.splice(0, count === -1 ? this.#leaving.length : count);
  }

  #enter(): void {
    const entering = this.#wayIn.happen();
    if (entering === null) return;
    const { request, atMs } = entering;
    this.core.submit({ ...request, arrivalMs: atMs });
    // An idle engine begins with the first request it gets; what comes at the same moment joins the next step.
    if (this.core.step === null) this.core.beginStep(atMs);
  }
}
