import type { Phrase } from '../../core/index.ts';
import { readDevices } from '../../inputs/hardware/index.ts';
import { hostCpuReader, memoryAvailableBytes } from './host-cpu.ts';
import type { HostFiles } from './host-files.ts';
import { whyFailed } from './read-host-devices.ts';
import { runTool } from './run-tool.ts';
import { makeScraper } from './scrape.ts';
import type { Scraper } from './scrape.ts';
import { readServerMetrics } from './server-metrics.ts';
import { sampleOf } from './telemetry-line.ts';
import type { TelemetryLine } from './telemetry-line.ts';
import type { FoundTool } from './tool-commands.ts';

/** What to sample, and how the world is reached. */
export interface SampleOptions {
  intervalMs: number;
  /** The vendors' tools that were found; null = cards are not asked for. */
  tools: readonly FoundTool[] | null;
  /** Addresses of /metrics to try; the first that answers as a known server is kept. None = no scraping. */
  metricsUrls: readonly string[];
  /** An address that was only guessed is given up after the first try. */
  metricsGuessed: boolean;
  metricsHeaders: Readonly<Record<string, string>>;
  insecure: boolean;
  /** null = the host is not looked at (the server is elsewhere). */
  files: HostFiles | null;
  /** The run's clock. */
  nowMs(): number;
  emit(line: TelemetryLine): void;
}

/** Gives up on a tool after so many failures in a row. */
const mostFailures = 3;

/**
 * Samples until `stop` says so, each source on its own beat so that a slow one delays no other; a source that is still
 * busy when its turn comes is not asked twice. Ends when everything under way has ended, which timeouts make soon.
 */
export async function sample(options: SampleOptions, stop: AbortSignal): Promise<void> {
  const { intervalMs, metricsUrls, files, emit, nowMs } = options;
  emit({ kind: 'start', atMs: nowMs(), intervalMs });
  if (options.tools?.length === 0) {
    const why = { en: 'no device tool is on this host', zh: '本机没有设备工具' };
    emit({ kind: 'missing', atMs: nowMs(), what: 'devices', who: 'devices', why });
  }
  const sources: (() => Promise<'go' | 'stop'>)[] = (options.tools ?? []).map((tool) =>
    toolSource(tool, options, stop),
  );
  const scraper = makeScraper(options.metricsHeaders, options.insecure);
  if (metricsUrls.length > 0) sources.push(metricsSource(scraper, options));
  if (files !== null) sources.push(hostSource(files, options));
  await Promise.all(sources.map((source) => beat(source, intervalMs, nowMs, stop)));
  scraper.close();
}

/** Calls a source at multiples of the interval from now on; beats that pass while it is busy are left out. */
async function beat(
  source: () => Promise<'go' | 'stop'>,
  intervalMs: number,
  nowMs: () => number,
  stop: AbortSignal,
): Promise<void> {
  const fromMs = nowMs();
  while (!stop.aborted) {
    if ((await source()) === 'stop') return;
    const next = Math.floor((nowMs() - fromMs) / intervalMs) + 1;
    await rest(fromMs + next * intervalMs - nowMs(), stop);
  }
}

function rest(forMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, forMs));
    stop.addEventListener('abort', end, { once: true });
  });
}

function toolSource(tool: FoundTool, { emit, nowMs }: SampleOptions, stop: AbortSignal): () => Promise<'go' | 'stop'> {
  let failures = 0;
  let told = false;
  const fail = (why: Phrase): 'go' | 'stop' => {
    failures += 1;
    if (failures === 1 || failures === mostFailures)
      emit({ kind: 'missing', atMs: nowMs(), what: 'devices', who: tool.tool, why });
    return failures >= mostFailures ? 'stop' : 'go';
  };
  return async () => {
    const startedMs = nowMs();
    const run = await runTool(tool.file, tool.sample, { timeoutMs: tool.timeoutMs, env: tool.env, stop });
    if (stop.aborted && run.outcome !== 'ok') return told ? 'stop' : fail(unanswered(tool.tool));
    if (run.outcome !== 'ok') return fail(whyFailed(tool.tool, run));
    const { devices, warnings } = readDevices(run.out, tool.tool);
    if (devices.length === 0)
      return fail(warnings[0] ?? { en: `${tool.tool} shows no card`, zh: `${tool.tool} 未显示任何卡` });
    failures = 0;
    told = true;
    const tookMs = nowMs() - startedMs;
    emit({ kind: 'devices', atMs: startedMs + tookMs / 2, tookMs, tool: tool.tool, devices: devices.map(sampleOf) });
    return 'go';
  };
}

function unanswered(tool: string): Phrase {
  return { en: `${tool} had not answered when the run ended`, zh: `运行结束时 ${tool} 仍未响应` };
}

function metricsSource(scraper: Scraper, options: SampleOptions): () => Promise<'go' | 'stop'> {
  const { emit, nowMs, metricsGuessed, intervalMs } = options;
  const timeoutMs = Math.max(1000, intervalMs);
  let urls = options.metricsUrls;
  let answered = false;
  let silent = false;
  return async () => {
    const reasons: string[] = [];
    for (const url of urls) {
      const startedMs = nowMs();
      const page = await scraper.ask(url, timeoutMs);
      const tookMs = nowMs() - startedMs;
      const reading = page.status === 200 ? readServerMetrics(page.body) : null;
      if (reading !== null) {
        urls = [url];
        answered = true;
        silent = false;
        emit({ kind: 'server', atMs: startedMs + tookMs / 2, tookMs, url, ...reading });
        return 'go';
      }
      reasons.push(
        `${url}: ${page.failure ?? (page.status === 200 ? 'no metrics of vLLM, SGLang, MindIE or an XInference worker' : `HTTP ${page.status}`)}`,
      );
    }
    if (!silent) {
      silent = true;
      const words = reasons.join('; ').slice(0, 300);
      const why = { en: `no server metrics (${words})`, zh: `没有服务器指标（${words}）` };
      emit({ kind: 'missing', atMs: nowMs(), what: 'metrics', who: urls[0]!, why });
    }
    return metricsGuessed && !answered ? 'stop' : 'go';
  };
}

function hostSource(files: HostFiles, { emit, nowMs }: SampleOptions): () => Promise<'go' | 'stop'> {
  const read = hostCpuReader(files);
  let first = true;
  return () => {
    const nodes = read();
    if (nodes === null) {
      const why = { en: '/proc/stat cannot be read', zh: '无法读取 /proc/stat' };
      emit({ kind: 'missing', atMs: nowMs(), what: 'host', who: '/proc', why });
      return Promise.resolve('stop');
    }
    if (!first) emit({ kind: 'host', atMs: nowMs(), nodes, memoryAvailableBytes: memoryAvailableBytes(files) });
    first = false;
    return Promise.resolve('go');
  };
}
