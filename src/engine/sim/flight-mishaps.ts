import type { SimFault, MishapName } from './sim-fault.ts';
import { mishapTimeoutMs, runawayTokens } from './sim-fault.ts';
import type { Flight } from './sim-exchange.ts';

/** What mishaps do to the requests of a virtual run. */
export class FlightMishaps {
  /** The client gives up at this, if the plan does not sooner; null = as planned. */
  readonly timeoutMs: number | null;
  readonly #injectedFaults: readonly SimFault[];
  #requests: number;

  /** `already`: requests before this run's first. */
  constructor(injectedFaults: readonly SimFault[], already: number) {
    this.#injectedFaults = injectedFaults;
    this.#requests = already;
    this.timeoutMs = mishapTimeoutMs(injectedFaults);
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
    return this.#injectedFaults.some((mishap) => mishap.name === name && mishap.request === this.#requests);
  }
}
