import type { Redis } from './redis.ts';
import type { Batch, Claim, Order, WorkerMessage } from './cluster-words.ts';
import { readBatch, readClaim, readOrder, readWorkerMessage } from './heard.ts';
import type { RunKeys } from './keys.ts';

/** What comes out of a run's streams, each in its own order. */
export interface StreamHearing {
  word(word: WorkerMessage): void;
  claim(claim: Claim, entry: string): void;
  batch(batch: Batch, entry: string): void;
  /** An entry that no worker of ours writes; it is passed over. */
  strange(): void;
  /** After each reading, and at least a few times a second. */
  round(): void;
}

type StreamName = 'words' | 'claims' | 'results';

const blockMs = 200;
const mostEntries = 200;

/** Reads what workers say, in the order they said it, and speaks to them. */
export class RunStreams {
  readonly #at: Record<StreamName, string> = { words: '0-0', claims: '0-0', results: '0-0' };
  #stopped = false;
  #reading: Promise<void> = Promise.resolve();
  /** Ends a reading that a Redis which is gone would never answer. */
  #halt: () => void = () => {};
  readonly #halted = new Promise<null>((resolve) => {
    this.#halt = () => resolve(null);
  });
  #waiting: { ids: Record<string, string>; resolve: () => void }[] = [];
  #ordering: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly redis: Redis,
    private readonly reader: Redis,
    private readonly keys: RunKeys,
    private readonly hear: StreamHearing,
  ) {}

  start(): void {
    this.#reading = this.#read();
  }

  /** Tells every worker; orders arrive in the order they were given. */
  order(order: Order): void {
    this.#ordering = this.redis.xadd(this.keys.orders, '*', 'o', JSON.stringify(order)).catch(() => null);
  }

  /** Settles when the last order stands in Redis. */
  async ordered(): Promise<void> {
    await this.#ordering;
  }

  /** Every order given so far, by whoever gave it. */
  async orders(): Promise<Order[]> {
    const entries = await this.redis.xrange(this.keys.orders, '-', '+');
    return entries.flatMap(([, fields]) => readOrder(fields[1]) ?? []);
  }

  /** Settles when everything that stands in the streams now has been heard. */
  async caughtUp(): Promise<void> {
    if (this.#stopped) return;
    const ids: Record<string, string> = {};
    for (const name of ['words', 'claims', 'results'] as const) {
      const last = await this.redis.xrevrange(this.keys[name], '+', '-', 'COUNT', 1).catch(() => []);
      ids[name] = last[0]?.[0] ?? '0-0';
    }
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ ids, resolve });
      this.#wakeThose();
    });
  }

  /** Forgets entries before `entry`: nobody will need them again. */
  trim(name: 'claims' | 'results', entry: string): void {
    if (this.redis.status === 'ready') this.redis.xtrim(this.keys[name], 'MINID', entry).catch(() => null);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#halt();
    this.reader.disconnect();
    await this.#reading;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async #read(): Promise<void> {
    const { words, claims, results } = this.keys;
    const names = { [words]: 'words', [claims]: 'claims', [results]: 'results' } as const;
    while (!this.#stopped) {
      const at = this.#at;
      const answer = this.reader
        .xread(
          'COUNT',
          mostEntries,
          'BLOCK',
          blockMs,
          'STREAMS',
          words,
          claims,
          results,
          at.words,
          at.claims,
          at.results,
        )
        .catch(() => new Promise<null>((resolve) => setTimeout(() => resolve(null), 50)));
      const read = await Promise.race([answer, this.#halted]);
      for (const [key, entries] of read ?? []) {
        const name = names[key]!;
        for (const [id, fields] of entries) {
          this.#one(name, id, fields);
          at[name] = id;
        }
      }
      this.#wakeThose();
      this.hear.round();
    }
  }

  #one(name: StreamName, id: string, fields: readonly string[]): void {
    if (name === 'words') {
      const word = readWorkerMessage(fields[1]);
      if (word === null) this.hear.strange();
      else this.hear.word(word);
    } else if (name === 'results') {
      const batch = readBatch(fields[1]);
      if (batch === null) this.hear.strange();
      else this.hear.batch(batch, id);
    } else {
      const claim = readClaim(fields);
      if (claim === null) this.hear.strange();
      else this.hear.claim(claim, id);
    }
  }

  #wakeThose(): void {
    this.#waiting = this.#waiting.filter(({ ids, resolve }) => {
      const there = Object.entries(ids).every(([name, id]) => !isBefore(this.#at[name as StreamName], id));
      if (there) resolve();
      return !there;
    });
  }
}

/** Whether one stream id comes before another. */
function isBefore(a: string, b: string): boolean {
  const [aMs, aNumber] = a.split('-').map(Number);
  const [bMs, bNumber] = b.split('-').map(Number);
  return aMs! < bMs! || (aMs === bMs && aNumber! < bNumber!);
}
