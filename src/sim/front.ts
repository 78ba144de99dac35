import type { LoadShape } from '../core/index.ts';
import type { EngineProfile } from './engine-profile.ts';

/**
 * What HTTP takes on one host, in milliseconds: medians between `dyno run` and `dyno engine` (docs/validation/simulator.md), as binary
 * fractions, so that moments that are the same stay the same.
 * Virtual time counts it, and the live engine, which has spent it already, does not count it again; so both tell a client the same.
 *
 * - sendMs: from the moment a request of an open loop is due until it is sent (virtual time has it sent when it is due);
 * - intoMs: from there until the engine knows of it;
 * - wakeMs: so much later does an engine that has rested for a while begin with it;
 * - backMs: from the end of a step until a client has heard its token;
 * - turnMs: from an answer's last step until its client has heard the end of it and has asked again.
 */
const sendMs = 0.0625;
const intoMs = 0.0625;
const wakeMs = 0.125;
export const backMs = 0.1875;
export const turnMs = 0.8125;
export const wireMs = sendMs + intoMs + wakeMs + backMs;

/** A shorter rest is no sleep: one client that asks again at once finds the engine awake. */
const dozeMs = 5;

/** How much later an engine that has rested so long begins with a request. */
export function wakeMsAfter(restedMs: number): number {
  return restedMs < dozeMs ? 0 : wakeMs;
}

/** What the server's front takes before the engine may take a request up, beside what HTTP takes anyway. */
export function frontMs({ overheadMs = 0 }: Pick<EngineProfile, 'overheadMs'>): number {
  return Math.max(0, overheadMs - wireMs);
}

/** From the moment a request is due until the engine may take it up. */
export function untilTakenMs(profile: Pick<EngineProfile, 'overheadMs'>, { kind }: Pick<LoadShape, 'kind'>): number {
  return (kind === 'open' ? sendMs : 0) + intoMs + frontMs(profile);
}

/** What a client tells of a request's time: when it was sent and, in an open loop, when it was due. */
export interface ToldTimes {
  sentMs: number;
  dueMs: number | null;
}

/**
 * The same for a live engine that is told: when it may take the request up, and by how much later the request was sent than usual. Virtual time
 * has one of an open loop sent when it is due; a live client sends it a little later, and what it measures begins there.
 */
export function takenLive(
  profile: Pick<EngineProfile, 'overheadMs'>,
  { sentMs, dueMs }: ToldTimes,
): { takenMs: number; lateMs: number } {
  if (dueMs === null) return { takenMs: sentMs + untilTakenMs(profile, { kind: 'closed' }), lateMs: 0 };
  const takenMs = dueMs + sendMs + untilTakenMs(profile, { kind: 'open' });
  return { takenMs, lateMs: Math.max(0, sentMs - dueMs - sendMs) };
}
