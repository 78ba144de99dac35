import type { ClientHealth } from '../../core/index.ts';

/** How long connections took to make and what they held back: sums only, however many there are. */
export class ConnectionTally {
  #count = 0;
  #sumMs = 0;
  #maxMs = 0;
  #tlsCount = 0;
  #tlsSumMs = 0;
  #tlsMaxMs = 0;
  #backlogMaxBytes = 0;

  /** One connection is open; tlsMs null = no TLS. */
  add(wholeMs: number, tlsMs: number | null): void {
    this.#count++;
    this.#sumMs += wholeMs;
    this.#maxMs = Math.max(this.#maxMs, wholeMs);
    if (tlsMs === null) return;
    this.#tlsCount++;
    this.#tlsSumMs += tlsMs;
    this.#tlsMaxMs = Math.max(this.#tlsMaxMs, tlsMs);
  }

  /** A request was written, and so many bytes of it the system has not taken yet. */
  wrote(leftBytes: number): void {
    if (leftBytes > this.#backlogMaxBytes) this.#backlogMaxBytes = leftBytes;
  }

  /** `connecting` is absent where none was made. */
  read(): Pick<ClientHealth, 'connecting' | 'sendBacklogMaxBytes'> {
    if (this.#count === 0) return { sendBacklogMaxBytes: this.#backlogMaxBytes };
    return {
      sendBacklogMaxBytes: this.#backlogMaxBytes,
      connecting: {
        count: this.#count,
        meanMs: this.#sumMs / this.#count,
        maxMs: this.#maxMs,
        tlsMeanMs: this.#tlsCount === 0 ? null : this.#tlsSumMs / this.#tlsCount,
        tlsMaxMs: this.#tlsCount === 0 ? null : this.#tlsMaxMs,
      },
    };
  }
}
