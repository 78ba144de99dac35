import { auditSummary } from '../results/audit/index.ts';
import type { PointRule } from '../results/audit/index.ts';
import { defined, exitCodes, UserError, verdictOf } from '../core/index.ts';
import type {
  Exchange,
  Finding,
  Mistake,
  Runner,
  RunPlan,
  RunState,
  StopRule,
  StopSignals,
  Summary,
  Ended,
} from '../core/index.ts';
import { factsOfPlan, meterFor, promisesKept, summarise } from '../results/measure/index.ts';
import type { RecentFigures, Meter, Shelf } from '../results/measure/index.ts';
import { makeSlabShelf, readExchanges, answerBytes, exchangeBytes } from '../results/store/index.ts';
import type { RunWriter } from '../results/store/index.ts';
import type { RunTelemetry } from '../client/telemetry/index.ts';
import type { EligibleShare } from './eligible-share.ts';
import { stopRulesOf } from './stop-rules/stop-rules.ts';

/** A look at a run under way, for progress and live views. */
export interface LiveFigures {
  state: RunState;
  glance: RecentFigures;
  /** Still warming up. */
  warmup: boolean;
}

/** What one run is given. */
export interface RunParts {
  plan: RunPlan;
  runner: Runner;
  /** The run's folder; its plan.json is written already. */
  writer: RunWriter;
  stops: StopSignals;
  /** Rules beside the plan's own. */
  rules?: readonly StopRule[];
  /** Rules beside those of the audit. */
  auditRules?: readonly PointRule[] | undefined;
  /** What watches server and devices beside the run; null = nothing is watched. */
  telemetry?: RunTelemetry | null;
  /** What the server listed as its models right before; null = not known. */
  models?: readonly string[] | null;
  /** What is looked at again once the load is over; absent = nothing. */
  afterwards?: Afterwards | undefined;
  /** What its prompts alone let the server take from its cache; absent = not worked out. */
  eligible?: EligibleShare | undefined;
  /** The records of the parts before an interruption, which the summary is over too; absent = none. */
  before?: AsyncIterable<Exchange> | null;
  /** Called as exchanges end, no more often than every progressEveryMs, and now and then while none does. */
  onProgress?(figures: LiveFigures): void;
}

/** Looks at a run's folder once the load is over: may put counts on its records, and says what it found. */
export type Afterwards = (dir: string) => Promise<{
  /** The records changed, so the figures are read from them again. */
  recounted: boolean;
  accuracy: NonNullable<Summary['accuracy']> | null;
  findings: Finding[];
}>;

const progressEveryMs = 100;
/** How often a run is looked at in which nothing ends. */
const pulseMs = 500;

/**
 * One run from plan to verdict: every exchange goes to the folder and to the meter, the summary is audited and written.
 * A failure on the way (a bad line of the dataset, a full disk) leaves what was measured on disk and is thrown.
 */
export async function executeRun(parts: RunParts): Promise<Summary> {
  const shelf = makeSlabShelf(parts.writer.dir);
  try {
    parts.runner.rehearseWith?.(() => idleRecord(parts.plan, shelf));
    return await measureRun(parts, meterFor(parts.plan, shelf));
  } finally {
    shelf.close();
  }
}

async function measureRun(parts: RunParts, meter: Meter): Promise<Summary> {
  const { plan, runner, writer, stops, rules = [], onProgress, telemetry = null } = parts;
  let stoppedByRule = false;
  const own = stopRulesOf(plan);
  const watched = [...own.rules, ...rules].map((rule): StopRule => (state, last) => {
    const word = rule(state, last);
    if (word !== 'go') stoppedByRule = true;
    return word;
  });
  const keeper = runner.kept === undefined ? null : tellKept(runner.kept, writer);
  let toldMs = -Infinity;
  const halt = new AbortController();
  const enough = new AbortController();
  const course = new WarmupTracker(plan);
  const show = (state: RunState, atMs: number): void => {
    toldMs = atMs;
    onProgress?.({ state, glance: meter.peek(state.nowMs), warmup: course.warmup });
  };
  // A server that is silent for minutes is watched too.
  const pulse = startPulse(runner, () => {
    const state = runner.state();
    if (!course.warmup && own.tick?.(state) === 'stop-sending') {
      stoppedByRule = true;
      enough.abort();
    }
    if (state.nowMs - toldMs >= pulseMs) show(state, state.nowMs);
  });
  telemetry?.start(runner.monotonicOriginNs, (line) => writer.observe(line));
  try {
    for await (const exchange of parts.before ?? []) {
      meter.add(exchange);
      course.saw(exchange);
    }
    const signals = { drain: AbortSignal.any([stops.drain, enough.signal]), cancel: stops.cancel };
    for await (const ended of runner.run(plan, halting(signals, halt.signal), watched)) {
      const full = writer.append(ended);
      if (full !== null) await full;
      keeper?.handed();
      meter.add(ended.exchange);
      telemetry?.saw(ended.exchange);
      course.saw(ended.exchange);
      // A simulated run is shown by the wall clock, because virtual time passes thousands of times faster.
      const atMs = runner.simulated ? performance.now() : ended.exchange.endMs;
      if (atMs - toldMs >= progressEveryMs) show(runner.state(), atMs);
    }
  } catch (failure) {
    // What was measured stays readable; the failure is the caller's to tell. The load is stopped, because no reader is left for it.
    halt.abort();
    await telemetry?.stop();
    // What the folder did not take is told already by the failure.
    await writer.abort().catch(() => {});
    throw brokenOff(failure, runner.state().sent);
  } finally {
    pulse.stop();
  }
  await telemetry?.stop();
  const stopped = stops.drain.aborted || stops.cancel.aborted || stoppedByRule;
  let lost: readonly Mistake[] | null = null;
  const loses = (failure: unknown): null => {
    if (!(failure instanceof UserError)) throw failure;
    lost ??= failure.mistakes;
    return null;
  };
  const again = await lookAgain(parts).catch(loses);
  const partial = stopped || runner.cutShort?.() === true;
  const facts = { partial, ...defined({ stoppedBecause: own.reason() ?? undefined }) };
  const figures = summaryOf(parts, again?.meter ?? meter, facts);
  const eligible = await eligibleOf(parts, figures).catch(loses);
  const summary = judged(
    eligible === null ? figures : { ...figures, eligibleInputRatio: eligible },
    plan,
    facts.partial,
    parts.auditRules,
  );
  const whole = again === null ? summary : { ...summary, ...again.found(summary) };
  await writer.finish(whole).catch(loses);
  if (lost !== null) throw new SummaryNotKept(lost, whole);
  return whole;
}

/** The run is over and its figures are made, but its folder does not take them: they are told, and where they could not go. */
export class SummaryNotKept extends UserError {
  override name = 'SummaryNotKept';
  readonly summary: Summary;

  constructor(mistakes: readonly Mistake[], summary: Summary) {
    super(mistakes, exitCodes.brokeOff);
    this.summary = summary;
  }
}

/** A mistake found before anything was sent has another exit code than a failure in the middle of a run. */
function brokenOff(failure: unknown, sent: number): unknown {
  if (!(failure instanceof UserError) || failure.exitCode !== exitCodes.usage || sent === 0) return failure;
  return new UserError(failure.mistakes, exitCodes.brokeOff);
}

/** Looks at a run now and then, whether or not anything ends; virtual time has no now and then. */
function startPulse({ simulated }: Runner, look: () => void): { stop(): void } {
  if (simulated) return { stop: () => {} };
  const timer = setInterval(look, pulseMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Where a run stands, as far as its exchanges tell. */
class WarmupTracker {
  readonly #warmups: number;
  #ended = 0;
  /** Still warming up: until all of a counted warm-up has ended, or the first measured request has. */
  warmup: boolean;

  constructor({ warmup }: RunPlan) {
    this.warmup = warmup !== null;
    this.#warmups = warmup !== null && 'requests' in warmup ? warmup.requests : Infinity;
  }

  saw(exchange: Exchange): void {
    if (exchange.warmup) this.#ended++;
    if (!exchange.warmup || this.#ended >= this.#warmups) this.warmup = false;
  }
}

/** The stops with one more that cancels everything. */
function halting({ drain, cancel }: StopSignals, halt: AbortSignal): StopSignals {
  return { drain: AbortSignal.any([drain, halt]), cancel: AbortSignal.any([cancel, halt]) };
}

const keptEvery = { exchanges: 5000, ms: 500 } as const;

/** Tells a runner now and then how many of its exchanges are on disk. */
function tellKept(kept: NonNullable<Runner['kept']>, writer: RunWriter): { handed(): void } {
  let count = 0;
  let told = 0;
  let toldAtMs = performance.now();
  let telling = false;
  return {
    handed() {
      count++;
      if (telling || (count - told < keptEvery.exchanges && performance.now() - toldAtMs < keptEvery.ms)) return;
      telling = true;
      const upTo = count;
      void writer.written().then(
        () => {
          telling = false;
          told = upTo;
          toldAtMs = performance.now();
          kept(upTo);
        },
        // The next append tells what is wrong with the disk.
        () => {},
      );
    },
  };
}

/** What is found after the load: a meter over the changed records, and what to add to the summary. */
async function lookAgain({
  afterwards,
  plan,
  writer,
}: RunParts): Promise<{ meter: Meter | null; found(summary: Summary): Partial<Summary> } | null> {
  if (afterwards === undefined) return null;
  // The records must be on disk before they are read; finish finds them closed.
  await writer.abort();
  const { recounted, accuracy, findings } = await afterwards(writer.dir);
  const meter = recounted ? meterFor(plan) : null;
  if (meter !== null) for await (const exchange of readExchanges(writer)) meter.add(exchange);
  return {
    meter,
    found: ({ verdict }) => ({
      ...(accuracy !== null && { accuracy }),
      verdict: verdictOf([...verdict.findings, ...findings]),
    }),
  };
}

function summaryOf(
  { plan, writer, runner, telemetry = null, models = null }: RunParts,
  meter: Meter,
  facts: Pick<Summary, 'partial' | 'stoppedBecause'>,
): Summary {
  const summary = summarise(meter, {
    ...factsOfPlan(plan),
    runId: writer.runId,
    startedAt: writer.record.startedAt,
    simulated: runner.simulated,
    ...facts,
    ...defined({ resumed: writer.record.resumed }),
    client: runner.health(),
  });
  const kept = defined({ models: models ?? undefined, workers: runner.workers?.() });
  return { ...summary, ...kept, ...telemetry?.collect(summary) };
}

async function eligibleOf({ eligible, writer }: RunParts, summary: Summary): Promise<number | null> {
  if (eligible === undefined) return null;
  // Records of conversations are read again here, so they must be on disk; finish() finds them closed.
  await writer.abort();
  return eligible(summary, writer.dir);
}

/** The summary with what became of the plan's promises, and the audit's verdict on it. `rules` = those beside the audit's own. */
export function judged(
  summary: Summary,
  plan: RunPlan | null,
  interrupted: boolean,
  rules: readonly PointRule[] = [],
): Summary {
  const slo = plan === null || plan.slo.length === 0 ? {} : { slo: promisesKept(summary, plan.slo) };
  return { ...summary, ...slo, verdict: verdictOf(auditSummary(summary, { plan, interrupted, rules })) };
}

/** Does with an exchange what a run does, but keeps neither lines nor figures, for a rehearsal. */
function idleRecord(plan: RunPlan, shelf: Shelf): (ended: Ended) => void {
  const meter = meterFor(plan, shelf);
  return ({ exchange, answer }) => {
    exchangeBytes(exchange);
    if (answer !== null) answerBytes(answer);
    meter.add(exchange);
  };
}
