import type { EngineProfile } from './engine-profile.ts';

/**
 * What a request and its first token take on the wire and in an HTTP server at the least, in milliseconds: the median between a client
 * and `dyno engine` on one host (docs/validation/simulator.md). Virtual time counts it, and the live engine, which has spent it
 * already, does not count it again; so both tell a client the same.
 */
export const wireMs = 0.6;

/** From the moment a request is sent until the engine may take it up. */
export function frontMs(profile: Pick<EngineProfile, 'overheadMs'>): number {
  return Math.max(wireMs, profile.overheadMs ?? 0);
}
