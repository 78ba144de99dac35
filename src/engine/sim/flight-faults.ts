import type { SimFault, SimFaultName } from './sim-fault.ts';
import { faultTimeoutMs, runawayTokens } from './sim-fault.ts';
import type { Flight } from './sim-exchange.ts';

/** What faults do to the requests of a virtual run. */
export class FlightFaults {
  /** Timeout of the client, if the plan has no shorter one; null = as planned. */
  readonly timeoutMs: number | null;
  #requests: number;

  /** `already`: requests before this run's first. */
  constructor(
    private readonly injectedFaults: readonly SimFault[],
    already: number,
  ) {
    this.#requests = already;
    this.timeoutMs = faultTimeoutMs(injectedFaults);
  }

  /** Counts a request that was sent; true = it is stuck and never reaches the engine. A runaway one is made longer. */
  strikes(flight: Flight, fits: (inputTokens: number, outputTokens: number) => boolean): boolean {
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

  #hits(name: SimFaultName): boolean {
    return this.injectedFaults.some((fault) => fault.name === name && fault.request === this.#requests);
  }
}
