import type { EngineProfile } from './engine-profile.ts';

/**
 * What HTTP takes on one host at the least, in milliseconds: medians between `dyno run` and `dyno engine` (docs/validation/simulator.md).
 * Virtual time counts it, and the live engine, which has spent it already, does not count it again; so both tell a client the same.
 *
 * - wireMs: a request's way into the engine and its first token's way back;
 * - turnMs: from an answer's last step until its client has heard the end of it, and may ask again.
 */
export const wireMs = 1;
export const turnMs = 0.6;

/** From the moment a request is sent until the engine may take it up. */
export function frontMs(profile: Pick<EngineProfile, 'overheadMs'>): number {
  return Math.max(wireMs, profile.overheadMs ?? 0);
}
