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
 * - backMs: from the end of a step until a client has heard a first token that it made;
 * - lastMs: so much later leaves a last token, and with it the answer's end, so that it holds up no first one;
 * - restMs: so much later leave all others, so that they hold up neither these nor who has heard an end and asks again;
 * - restBackMs: from there until they are heard: there is an end to write, or they are many;
 * - turnMs: from an answer's last step until its client has heard the end of it and has asked again.
 */
const sendMs = 0.0625;
const intoMs = 0.0625;
const wakeMs = 0.125;
const backMs = 0.1875;
export const lastMs = 1;
export const restMs = 2;
const restBackMs = 0.3125;
export const turnMs = 1.5;
export const wireMs = sendMs + intoMs + wakeMs + backMs;

/** From the end of a step until a client has heard a token of an answer; one that is first and last comes with the end. */
export function untilHeardMs(token: number, isLast: boolean): number {
  if (isLast) return lastMs + restBackMs;
  return token === 0 ? backMs : restMs + restBackMs;
}

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

/** What a live engine knows of a request that its client told of: when it was sent, and, where one of them is the reason for that, when it was due or when the step ended that finished the answer it follows. */
export interface ToldTimes {
  sentMs: number;
  dueMs?: number;
  answeredMs?: number;
}

/** How a live engine treats a request that it was told of. */
export interface TakenLive {
  /** When virtual time has it sent. */
  askedMs: number;
  /** When the engine may take it up. */
  takenMs: number;
  /** So much later (negative: earlier) than in virtual time its client has sent it, and so what the client measures begins. */
  lateMs: number;
}

/** As virtual time treats it. That has a request of an open loop sent when it is due; a live client sends it a little later. */
export function takenLive(
  profile: Pick<EngineProfile, 'overheadMs'>,
  { sentMs, dueMs, answeredMs }: ToldTimes,
): TakenLive {
  if (dueMs !== undefined) {
    const takenMs = dueMs + sendMs + untilTakenMs(profile, { kind: 'open' });
    return { askedMs: dueMs, takenMs, lateMs: sentMs - dueMs - sendMs };
  }
  const askedMs = answeredMs === undefined ? sentMs : answeredMs + turnMs;
  return { askedMs, takenMs: askedMs + untilTakenMs(profile, { kind: 'closed' }), lateMs: sentMs - askedMs };
}
