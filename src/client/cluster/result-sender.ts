import type { Redis } from './redis.ts';
import type { Ended } from '../../core/index.ts';
import type { PhaseName } from '../load/index.ts';
import { noMoreMs } from './cluster-words.ts';
import type { Batch } from './cluster-words.ts';

/** What a sender looks at when it cuts a batch. */
export interface SenderParts {
  redis: Redis;
  stream: string;
  member: string;
  /** How often word is sent even when nothing ended. */
  beatMs: number;
  nowMs(): number;
  progress(): { due: number; sent: number; inFlight: number; deals: number; taken: number };
}

const cutEveryMs = 10;
const mostInBatch = 1000;

/**
 * Sends what ended to the controller, in numbered batches, one at a time and in order. While Redis is away they wait
 * here; a batch whose answer was lost on the way is sent again under the same number.
 */
export class ResultSender {
  readonly #ticker: NodeJS.Timeout;
  #waiting: Ended[] = [];
  #phase: PhaseName = 'measure';
  #running = false;
  #sending: Promise<void> | null = null;
  #number = 0;
  #beatAtMs = 0;
  /** The most exchanges that ever waited here. */
  mostWaiting = 0;

  constructor(private readonly parts: SenderParts) {
    this.#ticker = setInterval(() => this.#tick(), cutEveryMs);
  }

  begin(phase: PhaseName): void {
    this.#phase = phase;
    this.#running = true;
  }

  push(ended: Ended): void {
    this.#waiting.push(ended);
    this.mostWaiting = Math.max(this.mostWaiting, this.#waiting.length);
  }

  /** Settles when everything that ended so far is in Redis. */
  async flush(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
    while (this.#waiting.length > 0) await this.#cutAndSend(this.parts.nowMs());
  }

  /** Sends everything, and that nothing more will come in this phase. */
  async finish(): Promise<void> {
    this.#running = false;
    await this.flush();
    await this.#cutAndSend(noMoreMs);
  }

  close(): void {
    clearInterval(this.#ticker);
  }

  #tick(): void {
    if (!this.#running || this.#sending !== null) return;
    const nowMs = this.parts.nowMs();
    if (this.#waiting.length === 0 && nowMs < this.#beatAtMs) return;
    this.#beatAtMs = nowMs + this.parts.beatMs;
    void this.#cutAndSend(nowMs);
  }

  /** One batch at a time is on its way. */
  async #cutAndSend(nowMs: number): Promise<void> {
    while (this.#sending !== null) await this.#sending;
    this.#sending = this.#send(this.#cut(nowMs)).finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  #cut(nowMs: number): Batch {
    const ended = this.#waiting.splice(0, mostInBatch);
    const { due, sent, inFlight, deals, taken } = this.parts.progress();
    return {
      member: this.parts.member,
      number: this.#number++,
      phase: this.#phase,
      // Exchanges that stay behind ended later than the last of this batch.
      upToMs: this.#waiting.length > 0 ? ended.at(-1)!.exchange.endMs : nowMs,
      progress: [due, sent, inFlight, deals, taken],
      ended,
    };
  }

  async #send(batch: Batch): Promise<void> {
    for (;;) {
      try {
        await this.parts.redis.xadd(this.parts.stream, '*', 'b', JSON.stringify(batch));
        return;
      } catch {
        // A connection that went silent: the batch may have arrived, so its number says which one it is.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}
