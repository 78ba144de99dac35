/**
 * The simulated engine over HTTP: OpenAI's chat and completions endpoints, streamed and not, with vLLM's /metrics,
 * timed in real time (or faster) by the same engine core that src/engine/sim runs in virtual time. Faults on demand.
 *
 * Never imports src/client/protocol: the wire is written here a second time, on purpose, so that a mistake of the client
 * cannot hide behind the same mistake of the server. It is a test bench, not a server for the open network.
 *
 * Start reading at start-engine.ts, then engine-server.ts (routes), step-pacer.ts (time) and answer.ts (what goes out).
 */
export { makeCertificate, selfSigned } from './certificate.ts';
export type { Certified } from './certificate.ts';
export { faultNames, parseFault } from './fault.ts';
export type { Fault } from './fault.ts';
export { quirkNames, startEngine } from './start-engine.ts';
export type { EngineOptions, QuirkName, RunningEngine } from './start-engine.ts';
export { warmUp } from './warm-up.ts';
