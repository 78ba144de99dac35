/**
 * How an ask is said and an answer heard, for every wire: data and pure functions over bytes.
 *
 * Must not open sockets, read clocks or count requests: `load` does that and hands the bytes in, split anywhere.
 * The simulated engine writes each wire once more, independently, so that a bug here cannot hide there.
 * Start at protocol.ts (the seam), then openai.ts; sse-reader.ts cuts streams into events.
 */
export * from './address.ts';
export { KnownBytes } from './known-bytes.ts';
export type * from './protocol.ts';
export { refusalWords } from './openai-answer.ts';
export { protocolFor, protocols } from './protocols.ts';
export type { Spoken } from './protocols.ts';
export { findStamp, stampInText, stampNs } from './server-stamp.ts';
export type { ServerStamp } from './server-stamp.ts';
