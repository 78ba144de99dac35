import type { Flight } from './flight.ts';

/**
 * The flights under way, in no order. Not a Set: V8's outgrown tables of a Set point at the next one and at all that was in
 * them, which keeps every flight of a run alive until a full collection, and that makes each small one take ten times as long.
 */
export class FlightList {
  readonly #flights: Flight[] = [];

  get size(): number {
    return this.#flights.length;
  }

  add(flight: Flight): void {
    flight.place = this.#flights.length;
    this.#flights.push(flight);
  }

  delete(flight: Flight): void {
    const { place } = flight;
    if (this.#flights[place] !== flight) return;
    const last = this.#flights.pop()!;
    if (last === flight) return;
    this.#flights[place] = last;
    last.place = place;
  }

  /** Visits all of them, once each; a flight may end while it is visited. */
  each(visit: (flight: Flight) => void): void {
    // From the last to the first: what takes the place of one that ended was visited before.
    for (let i = this.#flights.length - 1; i >= 0; i--) if (i < this.#flights.length) visit(this.#flights[i]!);
  }
}
