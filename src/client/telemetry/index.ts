/**
 * What the server and the hardware were doing while a run was measured: runs the vendors' tools, scrapes /metrics,
 * reads /proc, all on the run's clock, and sums it up for summary.json.
 *
 * Never disturbs the load: sampling happens in a process of its own with time limits on everything it waits for, and a
 * tool that hangs, fails or vanishes is said to be missing while the run goes on. Parsing of tools is hardware's.
 * Start at sampler.ts (the loop), then run-telemetry.ts (how a run holds it) and server-metrics.ts (renamed metrics).
 */
export { findTools } from './tool-commands.ts';
export { hostFiles } from './host-files.ts';
export type { HostFiles } from './host-files.ts';
export { readHostDevices } from './read-host-devices.ts';
export type { HostDevices } from './read-host-devices.ts';
export { makeRunTelemetry } from './run-telemetry.ts';
export type { RunTelemetry } from './run-telemetry.ts';
export { makeScraper } from './scrape.ts';
export { sample } from './sampler.ts';
export type { TelemetryLine } from './telemetry-line.ts';
export { telemetrySeries } from './telemetry-series.ts';
export type { TelemetrySeries } from './telemetry-series.ts';
