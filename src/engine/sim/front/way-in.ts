import type { EngineRequest } from '../engine-events.ts';
import type { Front } from './front.ts';

/** A request that reaches the engine, and when. */
export interface Entering {
  request: EngineRequest;
  atMs: number;
}

/** Requests between the moment of their sending and the engine: on the way, in the front, through it. */
export class WayIn {
  /** Sent, not in the front yet; in order. */
  #coming: EngineRequest[] = [];
  #came = 0;
  readonly #inFront = new Map<number, EngineRequest>();
  /** Through the front, not in the engine yet; in order. */
  #through: Entering[] = [];

  constructor(
    private readonly front: Front | null,
    /** From the send until the server knows of a request. */
    private readonly overheadMs: number,
    /** Hears when the headers of an answer are sent: its prompt is tokenised. */
    private readonly onHeaders: (id: number, atMs: number) => void = () => {},
  ) {}

  /** A request is sent at its arrivalMs. */
  send(request: EngineRequest): void {
    const last = this.#coming.at(-1);
    if (this.#came === this.#coming.length || last!.arrivalMs <= request.arrivalMs) this.#coming.push(request);
    else {
      const before = this.#coming.findLastIndex(({ arrivalMs }) => arrivalMs <= request.arrivalMs);
      this.#coming.splice(Math.max(before + 1, this.#came), 0, request);
    }
  }

  cancel(id: number): void {
    this.#coming = this.#coming.slice(this.#came).filter((request) => request.id !== id);
    this.#came = 0;
    this.#inFront.delete(id);
    this.#through = this.#through.filter(({ request }) => request.id !== id);
  }

  /** When something happens here next; Infinity = nobody is on the way. */
  nextMs(): number {
    const comesMs = this.#comesMs();
    if (this.front === null) return comesMs;
    return Math.min(comesMs, this.#through[0]?.atMs ?? Infinity, this.front.nextMs());
  }

  /** Handles the event that is due at nextMs(); returns the request that reaches the engine with it. */
  happen(): Entering | null {
    const nextMs = this.nextMs();
    const { front } = this;
    if (front !== null && front.nextMs() <= nextMs) this.#pass(front);
    else if (front !== null && (this.#through[0]?.atMs ?? Infinity) <= nextMs) return this.#through.shift()!;
    else {
      const request = this.#comes();
      if (front === null) return { request, atMs: nextMs };
      this.#inFront.set(request.id, request);
      front.take(request.id, nextMs, request.inputTokens);
    }
    return null;
  }

  #comesMs(): number {
    const request = this.#coming[this.#came];
    return request === undefined ? Infinity : request.arrivalMs + this.overheadMs;
  }

  #comes(): EngineRequest {
    const request = this.#coming[this.#came++]!;
    if (this.#came > 1000 || this.#came === this.#coming.length) {
      this.#coming.splice(0, this.#came);
      this.#came = 0;
    }
    return request;
  }

  #pass(front: Front): void {
    const passed = front.pass();
    const request = passed === null ? undefined : this.#inFront.get(passed.id);
    if (passed === null || request === undefined) return;
    this.#inFront.delete(passed.id);
    this.onHeaders(passed.id, passed.atMs);
    this.#through.push({ request, atMs: passed.atMs });
  }
}
