import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isLoopback } from '../../core/index.ts';
import { makeRunTelemetry } from '../../client/telemetry/index.ts';
import type { RunTelemetry } from '../../client/telemetry/index.ts';
import type { World } from '../world.ts';

/** What the sampler is told on the first line of its stdin: headers may hold keys, so nothing of it stands in argv. */
export interface SamplerOrders {
  intervalMs: number;
  devices: boolean;
  host: boolean;
  metricsUrls: string[];
  metricsGuessed: boolean;
  metricsHeaders: Record<string, string>;
  insecure: boolean;
}

/** What a run wants watched. */
export interface TelemetryWish {
  url: string;
  devices: 'auto' | 'none' | 'always';
  /** `auto`, `none`, or the address of a page. */
  metrics: string;
  headers: Record<string, string>;
  insecure: boolean;
}

const intervalMs = 1000;

/** Starts a sampler for a run, in a process of its own; null = nothing is to be watched. */
export async function startRunTelemetry(wish: TelemetryWish, env: World['env']): Promise<RunTelemetry | null> {
  const local = isThisHost(new URL(wish.url).hostname);
  const watched = wish.devices === 'always' || (wish.devices === 'auto' && local);
  const guessed = wish.metrics === 'auto';
  const metricsUrls = guessed ? safeGuesses(wish) : wish.metrics === 'none' ? [] : [wish.metrics];
  if (!watched && metricsUrls.length === 0) return null;
  const orders: SamplerOrders = {
    intervalMs,
    devices: watched,
    host: watched,
    metricsUrls,
    metricsGuessed: guessed,
    // A key for the API goes to the API's own host only.
    metricsHeaders: guessed ? wish.headers : {},
    insecure: wish.insecure,
  };
  const file = fileURLToPath(new URL('../lib/sampler.js', import.meta.url));
  return makeRunTelemetry([process.execPath, file], orders, env);
}

/** The guesses that may carry the run's headers: a key that was given for TLS never leaves in the clear. */
export function safeGuesses({ url, headers }: Pick<TelemetryWish, 'url' | 'headers'>): string[] {
  const guesses = metricsGuesses(url);
  const secret = Object.keys(headers).length > 0 && url.startsWith('https:');
  return secret ? guesses.filter((guess) => guess.startsWith('https:')) : guesses;
}

/** /metrics beside the API; MindIE serves it on a port of its own, two above. */
export function metricsGuesses(url: string): string[] {
  const { protocol, hostname, port, origin } = new URL(url);
  const mindie = port === '1025' ? [`${protocol}//${hostname}:1027/metrics`, `http://${hostname}:1027/metrics`] : [];
  return [...new Set([`${origin}/metrics`, ...mindie])];
}

/** Whether a host name of a URL means this machine. Names that would need a look-up do not count, except localhost. */
export function isThisHost(hostname: string): boolean {
  if (isLoopback(hostname) || hostname === '0.0.0.0') return true;
  const bare = hostname.replace(/^\[|\]$/g, '');
  return Object.values(networkInterfaces()).some((list) => list?.some((one) => one.address === bare));
}
