import { EngineCore, ServedEngine } from '../../../engine/sim/index.ts';
import type { EngineProfile } from '../../../engine/sim/index.ts';
import type { MeasuredRun, RunRequest } from './measured-run.ts';
import { meanOf } from './run-figures.ts';

/** A load as it is asked again of a simulated server. */
export interface AskedLoad {
  /** So many in flight; null = each at its sentMs. */
  concurrency: number | null;
  requests: readonly Pick<RunRequest, 'sentMs' | 'promptTokens' | 'cachedTokens' | 'outputTokens'>[];
  /** Asked before, and waited for. */
  warmup: AskedLoad['requests'];
  /** Each place of the warm-up is taken as it falls free; absent = the server is idle in between. */
  handsOver?: boolean;
}

export interface PlayOptions {
  seed?: number;
  /** Only the first so many have to be answered. */
  wanted?: number;
  /** false = gaps between tokens are left empty, which takes half the time. */
  gaps?: boolean;
}

/**
 * Plays a load against a profile in virtual time; the run that a client would have measured.
 * Of a prompt, what was found in the prefix cache is spared as it was; nothing is looked up.
 */
export function playRun(profile: EngineProfile, load: AskedLoad, options: PlayOptions = {}): MeasuredRun {
  const { seed = 1, wanted = Infinity, gaps = true } = options;
  const core = new EngineCore({ profile, seed, keepTimes: gaps });
  const { concurrency } = load;
  const before = load.warmup.length;
  if (load.handsOver === true) {
    const both = [...load.warmup, ...load.requests];
    const whole = playPhase(core, profile, concurrency, both, { startMs: 0, firstId: 0, wanted: before + wanted });
    return runOf(core, concurrency, { ...whole, ...parted(whole.requests, before) });
  }
  const warmup = playPhase(core, profile, concurrency, load.warmup, { startMs: 0, firstId: 0 });
  const startMs = Math.max(core.settle() ?? warmup.endMs, warmup.endMs);
  const measured = playPhase(core, profile, concurrency, load.requests, { startMs, firstId: before, wanted });
  return runOf(core, concurrency, {
    requests: measured.requests,
    warmup: warmup.requests,
    made: [...warmup.made, ...measured.made],
  });
}

/** Requests in the order of sending, told apart; times of the later ones count from the first of them. */
function parted(requests: readonly RunRequest[], before: number): { warmup: RunRequest[]; requests: RunRequest[] } {
  const startMs = requests[before]?.sentMs ?? 0;
  return {
    warmup: requests.slice(0, before),
    requests: requests.slice(before).map((request) => ({ ...request, sentMs: request.sentMs - startMs })),
  };
}

function runOf(
  core: EngineCore,
  concurrency: number | null,
  { requests, warmup, made }: { requests: RunRequest[]; warmup: RunRequest[]; made: Made[] },
): MeasuredRun {
  const { stepsTotal, frontBacklogRatio } = core.counters();
  return {
    name: 'played',
    ...(frontBacklogRatio !== undefined && { frontBacklogRatio }),
    concurrency,
    requests,
    warmup,
    handsOver: false,
    server: {
      cpuMs: core.front?.busyMs ?? null,
      steps: stepsTotal,
      tpotMs: totalOf(made.map(({ decodeMs }) => decodeMs)) / totalOf(made.map(({ gaps }) => gaps)),
      prefillMs: meanOf(made.map(({ prefillMs }) => prefillMs)),
    },
  };
}

interface Made {
  decodeMs: number;
  gaps: number;
  prefillMs: number;
}

function gapsOf(atMs: readonly number[]): number[] {
  const gaps: number[] = [];
  for (let i = 1; i < atMs.length; i++) gaps.push(atMs[i]! - atMs[i - 1]!);
  return gaps;
}

function totalOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

interface Phase {
  startMs: number;
  firstId: number;
  /** Only the first so many have to be answered; absent = all. */
  wanted?: number;
}

function playPhase(
  core: EngineCore,
  profile: EngineProfile,
  concurrency: number | null,
  requests: AskedLoad['requests'],
  { startMs, firstId, wanted = Infinity }: Phase,
): { requests: RunRequest[]; made: Made[]; endMs: number } {
  const count = requests.length;
  const sentMs = new Float64Array(count);
  const headersMs = new Float64Array(count).fill(NaN);
  const enteredMs = new Float64Array(count);
  const played: RunRequest[] = [];
  const made: Made[] = [];
  const served = new ServedEngine(core, profile.overheadMs ?? 0, (id, atMs) => {
    headersMs[id - firstId] = atMs - sentMs[id - firstId]!;
    enteredMs[id - firstId] = atMs;
  });
  let next = 0;
  let nowMs = startMs;
  const send = (): void => {
    const { promptTokens, cachedTokens, outputTokens } = requests[next]!;
    sentMs[next] = nowMs;
    const id = firstId + next;
    served.send({ id, inputTokens: promptTokens, outputTokens, arrivalMs: nowMs, sparedTokens: cachedTokens });
    next++;
  };
  const dueMs = (): number => startMs + (requests[next]?.sentMs ?? Infinity);
  if (concurrency !== null) while (next < Math.min(concurrency, count)) send();
  let missing = Math.min(wanted, count);
  while (missing > 0) {
    const untilMs = concurrency === null ? dueMs() : Infinity;
    const finishes = served.advance(untilMs);
    nowMs = finishes[0]?.endMs ?? untilMs;
    for (const { id, firstTokenMs, tokenAtMs, endMs, madeMs } of finishes) {
      const i = id - firstId;
      if (i < wanted) missing--;
      const { promptTokens, cachedTokens, outputTokens } = requests[i]!;
      played.push({
        sentMs: sentMs[i]! - startMs,
        promptTokens,
        cachedTokens,
        outputTokens,
        headersMs: Number.isNaN(headersMs[i]!) ? null : headersMs[i]!,
        ttftMs: firstTokenMs - sentMs[i]!,
        latencyMs: endMs - sentMs[i]!,
        get gapsMs() {
          return gapsOf(tokenAtMs);
        },
      });
      const { first, last } = madeMs ?? { first: firstTokenMs, last: endMs };
      made.push({
        decodeMs: last - first,
        gaps: outputTokens - 1,
        prefillMs: first - (enteredMs[i]! || sentMs[i]!),
      });
    }
    if (concurrency === null) while (next < count && dueMs() <= nowMs) send();
    else for (let i = 0; i < finishes.length && next < count; i++) send();
  }
  return { requests: played.toSorted((a, b) => a.sentMs - b.sentMs), made, endMs: nowMs };
}
