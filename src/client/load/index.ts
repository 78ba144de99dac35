/**
 * The real runner: clock, sockets, timeouts, connection pool, client health.
 *
 * A plan goes in, one exchange per planned request comes out, in the order they end. Bytes are stamped at the socket
 * read, before anything looks at them. Must not know files, reports or verdicts, and never sees `sim`.
 * Start at load-runner.ts and load-session.ts (one thread's run), then phase.ts (dealing out asks), flight.ts (one ask from send to end),
 * connection.ts and http-reader.ts (the wire); threaded-runner.ts
 * spreads the same over threads.
 */
export { makeLoadRunner } from './load-runner.ts';
export { recordedEnding } from './lazy-record.ts';
export { joinedHealth } from './joined-health.ts';
export { limitsOf, LoadSession, phasesOf } from './load-session.ts';
export type { PhaseName } from './load-session.ts';
export { OrderedEnds } from './ordered-ends.ts';
export { ResultQueue } from './result-queue.ts';
export { rehearse } from './rehearsal.ts';
export type { Rehearsal } from './rehearsal.ts';
export { runStateTracker } from './run-state-tracker.ts';
export { startClock } from './run-clock.ts';
export type { RunClock } from './run-clock.ts';
export { serveLoadThread } from './load-thread.ts';
export { makeThreadedRunner } from './threaded-runner.ts';
export type { ThreadData } from './thread-words.ts';
export { fetchOnce } from './fetch-once.ts';
export type { Fetched } from './fetch-once.ts';
export { tlsCauseOf } from './tls-cause.ts';
export { unsentExchange } from './unsent-exchange.ts';
export type { Secrets } from './request-text.ts';
