import { say, UserError } from '../core/index.ts';
import type { Summary } from '../core/index.ts';
import { checkWords, executeRun, planWords, readWords, throwMistakes, workerWords } from '../run/index.ts';
import type { PlanWords } from '../run/index.ts';
import { makeSimRunner } from '../sim/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import { createRun } from '../store/index.ts';
import type { ServerHands, TrialAsk, TrialResult, TuneRequest } from '../tune/index.ts';
import type { Bench } from './bench.ts';
import type { Given } from './command.ts';
import type { Interrupts } from './interrupts.ts';
import { measurePoint } from './measure-point.ts';
import { typedWords } from './plan-input.ts';
import { offsetsOf, openWords, planPoint, prepare, sliceLength } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import { askBench } from './sim-bench.ts';
import { simElsewhere } from './sim-work.ts';
import { shownCommand } from './shown-command.ts';
import type { Team } from './team.ts';
import { refuseUnsent } from './tune-team.ts';
import { version } from './version.ts';

/** Stands where a server's address would; nothing is ever sent there. */
const nowhere = 'http://simulated.invalid/v1/chat/completions';

/** The plan words of a tune's workload, with the workers that flags name; mistakes are told with their lines. */
export function workloadWords(request: TuneRequest, file: string, flags: Given['flags']): PlanWords & { url: string } {
  const given = request.workload.map(({ name, texts, line }) => ({
    name,
    texts,
    place: { file, line, field: `workload.${name}` },
  }));
  const { words, mistakes } = readWords(planWords, [...given, ...typedWords(flags, workerWords)]);
  const asked = words as PlanWords;
  const own = (['concurrency', 'rate', 'url'] as const).filter((name) => asked[name] !== undefined);
  throwMistakes([
    ...mistakes,
    ...checkWords(asked),
    ...own.map((name) => ({
      code: 'settings-disagree',
      message: { en: `${name} does not belong to the workload`, zh: `${name} 不属于 workload` },
      hint: { en: 'Put the load under load:, the address under url:.', zh: '负载请写在 load: 下，地址写在 url: 下。' },
      place: { file, field: `workload.${name}` },
    })),
  ]);
  return { ...asked, url: request.url ?? nowhere };
}

function wordsFor(words: PlanWords & { url: string }, ask: TrialAsk): PlanWords & { url: string } {
  const { concurrency, ratePerSec } = ask.point.load;
  return {
    ...words,
    requests: ask.requests,
    seed: ask.seed,
    label: words.label ?? ask.title.slice(0, 100),
    ...(concurrency !== null && { concurrency: [concurrency] }),
    ...(ratePerSec !== null && { rate: [ratePerSec] }),
  };
}

/** A run's prompts are its own: trial n takes the n-th slice, as long as this one. */
async function offsetOf(prepared: Pick<Prepared, 'dataset' | 'words'>, ask: TrialAsk): Promise<number> {
  return (ask.number - 1) * (await sliceLength(prepared, 0));
}

/** How a real server is asked. */
export function serverHands(
  given: Given,
  words: PlanWords & { url: string },
  interrupts: Interrupts,
  team: Team | null,
): ServerHands {
  let model = words.model;
  // Trials ask no test request of their own; what the server called itself when it came up stands in their plans.
  let server: string | undefined;
  const quiet: Given = { ...given, common: { ...given.common, quiet: true } };
  return {
    async probe() {
      try {
        const { target } = await prepare({ ...words, ...(model !== undefined && { model }), requests: 1 }, quiet, 1);
        model ??= target.model;
        server = target.server;
        return null;
      } catch (error) {
        if (!(error instanceof UserError) || error.exitCode !== 3) throw error;
        return say(error.mistakes[0]?.message ?? error.message, 'en');
      }
    },
    async measure(ask) {
      const asked = wordsFor({ ...words, ...(model !== undefined && { model }), noPreflight: true }, ask);
      const prepared = await prepare(asked, quiet, 1);
      if (server !== undefined) prepared.target = { ...prepared.target, server };
      if (team !== null) prepared.team = team;
      const plan = planPoint(prepared, ask.point.load, await offsetOf(prepared, ask));
      const { summary } = await measurePoint(given, prepared, plan, interrupts, ask.title, (run) =>
        createRun(ask.dir, run),
      );
      if (team !== null && !interrupts.heard) refuseUnsent(summary);
      return { summary, runId: summary.runId };
    },
  };
}

/** How a trial is played in virtual time against a profile with the trial's settings. */
export function simulatedHands(
  given: Given,
  request: TuneRequest,
  words: PlanWords & { url: string },
  profile: EngineProfile,
  interrupts: Interrupts,
  bench: Bench | null,
): (ask: TrialAsk) => Promise<TrialResult> {
  const { family } = request.problem;
  if (family === null) throw cannotSimulate();
  return async (ask) => {
    const settings = family.settingsOf(ask.point.settings);
    const engine: EngineProfile = { ...profile, scheduler: { name: family.scheduler, settings } };
    const asked = wordsFor({ ...words, url: nowhere }, ask);
    const summary = await simulateOnce(given, asked, engine, ask, interrupts, bench);
    const outcome = interrupts.heard ? 'interrupted' : 'ok';
    return { outcome, cause: null, summary, runId: summary.runId, restarted: true };
  };
}

async function simulateOnce(
  given: Given,
  words: PlanWords & { url: string },
  profile: EngineProfile,
  ask: TrialAsk,
  interrupts: Interrupts,
  bench: Bench | null,
): Promise<Summary> {
  const opened = await openWords(words, 1);
  const target = {
    url: nowhere,
    api: words.api ?? ('openai-chat' as const),
    model: words.model ?? profile.model,
    headers: {},
  };
  const prepared = {
    words: opened.words,
    target,
    dataset: opened.dataset,
    gapsMs: opened.gapsMs,
    secrets: {},
    reopenable: false,
    contextTokens: null,
  };
  const plan = planPoint(prepared, ask.point.load, await offsetOf(prepared, ask));
  const offsets = await offsetsOf(opened.dataset, plan);
  const kit =
    bench === null
      ? makeSimRunner({
          profile,
          workload: (phase) => opened.dataset.workload(offsets[phase]),
          breathe: () => new Promise((resolve) => void setImmediate(resolve)),
        })
      : simElsewhere(askBench(bench, prepared, plan, { profile, befallen: [], already: 0, run: 0 }));
  const writer = await createRun(ask.dir, {
    plan,
    startedAt: new Date().toISOString(),
    simulated: true,
    monotonicOriginNs: null,
    llmdyno: version,
    command: shownCommand(given.io.argv),
  });
  return executeRun({ plan, kit, writer, stops: interrupts.stops });
}

function cannotSimulate(): UserError {
  return new UserError({
    code: 'cannot-simulate',
    message: {
      en: 'the simulator knows none of these settings',
      zh: '模拟器不认识这些设置',
    },
    hint: {
      en: 'Say engine: mindie, vllm or sglang in the file, or give a setting role: batch.',
      zh: '请在文件中写 engine: mindie、vllm 或 sglang，或为某项设置写 role: batch。',
    },
    place: { flag: '--simulate' },
  });
}
