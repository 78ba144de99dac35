import type { Mishap, MishapName } from './mishap.ts';
import { mishapTimeoutMs, runawayTokens } from './mishap.ts';
import type { Flight } from './sim-exchange.ts';

/** What mishaps do to the requests of a virtual run. */
export class FlightMishaps {
  /** The client gives up at this, if the plan does not sooner; null = as planned. */
  readonly timeoutMs: number | null;
  readonly #befallen: readonly Mishap[];
  #requests: number;

  /** `already`: requests before this run's first. */
  constructor(befallen: readonly Mishap[], already: number) {
    this.#befallen = befallen;
    this.#requests = already;
    this.timeoutMs = mishapTimeoutMs(befallen);
  }

  /** Counts a request that was sent; true = it is stuck and never reaches the engine. A runaway one is made longer. */
  befalls(flight: Flight, fits: (inputTokens: number, outputTokens: number) => boolean): boolean {
    this.#requests++;
    if (this.#hits('runaway-generation')) {
      const tokens = runawayTokens(flight.outputTokens);
      if (fits(flight.inputTokens, tokens)) {
        flight.outputTokens = tokens;
        flight.atLimit = true;
      }
    }
    return this.#hits('stuck-request');
  }

  #hits(name: MishapName): boolean {
    return this.#befallen.some((mishap) => mishap.name === name && mishap.request === this.#requests);
  }
}
