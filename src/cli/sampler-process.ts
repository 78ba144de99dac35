import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { exitCodes, invariant, isLoopback } from '../core/index.ts';
import { findTools, hostFiles, makeRunTelemetry, sample } from '../telemetry/index.ts';
import type { RunTelemetry } from '../telemetry/index.ts';
import type { Given } from './command.ts';

/** What the sampler is told on the first line of its stdin: headers may hold keys, so nothing of it stands in argv. */
interface SamplerOrders {
  intervalMs: number;
  devices: boolean;
  host: boolean;
  metricsUrls: string[];
  metricsGuessed: boolean;
  metricsHeaders: Record<string, string>;
  insecure: boolean;
}

/** `dyno devices --sampler`: samples until stdin ends, times in ms of CLOCK_MONOTONIC, one JSON line each. */
export async function runSampler(given: Given): Promise<number> {
  const stop = new AbortController();
  const input = createInterface({ input: process.stdin });
  const orders = await new Promise<SamplerOrders | null>((resolve) => {
    input.once('line', (line) => resolve(JSON.parse(line) as SamplerOrders));
    input.once('close', () => {
      stop.abort();
      resolve(null);
    });
  });
  // Ctrl-C belongs to the run: it decides when sampling ends.
  const forget = given.io.onInterrupt(() => {});
  if (orders !== null) {
    await sample(
      {
        intervalMs: orders.intervalMs,
        tools: orders.devices ? findTools(given.io.env) : null,
        metricsUrls: orders.metricsUrls,
        metricsGuessed: orders.metricsGuessed,
        metricsHeaders: orders.metricsHeaders,
        insecure: orders.insecure,
        files: orders.host ? hostFiles() : null,
        nowMs: () => Number(process.hrtime.bigint()) / 1e6,
        emit: (line) => given.io.out(`${JSON.stringify(line)}\n`),
      },
      stop.signal,
    );
    // With nothing left to sample it still waits for the end of the run, which tells the two apart.
    if (!stop.signal.aborted)
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
  }
  input.close();
  forget();
  return exitCodes.ok;
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

/** Starts a sampler for a run; null = nothing is to be watched. */
export async function startRunTelemetry(
  wish: TelemetryWish,
  write: (line: string) => void,
): Promise<RunTelemetry | null> {
  const local = isThisHost(new URL(wish.url).hostname);
  const watched = wish.devices === 'always' || (wish.devices === 'auto' && local);
  const guessed = wish.metrics === 'auto';
  const metricsUrls = guessed ? safeGuesses(wish) : wish.metrics === 'none' ? [] : [wish.metrics];
  if (!watched && metricsUrls.length === 0) return null;
  const script = process.argv[1];
  invariant(script !== undefined, 'a command knows which file it was started from');
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
  return makeRunTelemetry([process.execPath, script, 'devices', '--sampler', '--quiet'], orders, write);
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
