/**
 * The real runner: clock, sockets, timeouts, connection pool, client health.
 *
 * A plan goes in, one exchange per planned request comes out, in the order they end. Bytes are stamped at the socket
 * read, before anything looks at them. Must not know files, reports or verdicts, and never sees `sim`.
 * Start at load-runner.ts (phases of a run), then phase.ts (dealing out asks), flight.ts (one ask from send to end),
 * connection.ts and http-reader.ts (the wire).
 */
export { makeLoadRunner } from './load-runner.ts';
export type { LoadParts } from './load-runner.ts';
export { fetchOnce } from './fetch-once.ts';
export type { Fetched } from './fetch-once.ts';
export type { Secrets } from './request-text.ts';
