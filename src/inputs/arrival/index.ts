/**
 * When things are asked, and by whom: pacers, one file per arrival process, and the dealer of numbered requests.
 *
 * A pacer only says when the next ask is due, on a clock that starts at 0 when its phase (warm-up or measuring)
 * begins. A dealer numbers what is due and claims for its place (a thread, a machine, virtual time) what nobody else
 * sends; conversations are dealt turn by turn. Nothing here sleeps, sends or looks at a clock: the runner does, real or
 * simulated, and all get the same requests from the same seed.
 *
 * Start reading at pacer.ts (the seam), then pacers.ts (the list; a new process is one file and one line there).
 * Open loops share scheduled-pacer.ts and differ only in their unit gaps; rate-shape.ts bends any of them to ramps,
 * steps, spikes and sines. request-queue.ts is what a runner asks; request-dealer.ts deals over claims.ts,
 * conversations.ts over conversation-queue.ts; dealing.ts puts them together for a thread.
 */
export { onlyPlace, partOf } from './claims.ts';
export type { Claimed, Claims, Place } from './claims.ts';
export type { NewConversation, Turn } from './conversation-queue.ts';
export { conversationPacing } from './conversations.ts';
export { requestSourceAt } from './request-source.ts';
export type { RequestSource, DealtPhase } from './request-source.ts';
export { makePacer, pacers } from './pacers.ts';
export { dueUnder, rateAt } from './rate-shape.ts';
export { handsOver, isDue } from './pacer.ts';
export type { LoadPart, Pacer, PacerLimits, PacerView, WaitUntil } from './pacer.ts';
export { isCount, isDealt, makeDealer } from './request-dealer.ts';
export type { RequestDealer } from './request-dealer.ts';
export { RequestQueue } from './request-queue.ts';
export type { DueRequest } from './request-queue.ts';
