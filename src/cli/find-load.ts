import { auditSweep } from '../audit/index.ts';
import { exitCodes, say, UserError } from '../core/index.ts';
import type { RunPlan, Summary, Sweep } from '../core/index.ts';
import { parseSlo } from '../measure/index.ts';
import type { LoadPoint, PlanWords } from '../run/index.ts';
import { createSweep } from '../store/index.ts';
import type { NewRun, RunWriter } from '../store/index.ts';
import { figuresOf, findMax, trialSize } from '../tune/index.ts';
import type { Found, Probe, Trial } from '../tune/index.ts';
import type { Given } from './command.ts';
import { listenForInterrupts } from './interrupts.ts';
import type { Interrupts } from './interrupts.ts';
import { measurePoint } from './measure-point.ts';
import { planPoint, prepare } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import { showPoint, showSweep } from './show.ts';
import { shownCommand } from './shown-command.ts';
import { version } from './version.ts';

const defaults = { runs: 16, confirmRuns: 2, tolerance: 0.04 } as const;
const limits = { concurrency: { least: 1, most: 100_000 }, rate: { least: 0.01, most: 1e6 } } as const;

/** How a load is looked at: on a server, or in virtual time. */
export interface Looking {
  /** Most looks where --find-runs does not say, and fewest requests of each where -n does not. */
  runs: number;
  requests: number | null;
  prepare(words: PlanWords & { url: string }): Promise<Prepared>;
  /** One run of a plan; `shown` says which, while it lasts. */
  look(
    prepared: Prepared,
    plan: RunPlan,
    interrupts: Interrupts,
    shown: string,
    create: (run: NewRun) => Promise<RunWriter>,
  ): Promise<Summary>;
}

/** Looks at the server that the words name. */
export function onServer(given: Given): Looking {
  return {
    runs: defaults.runs,
    requests: null,
    prepare: (words) => prepare(words, given, 1),
    async look(prepared, plan, interrupts, shown, create) {
      return (await measurePoint(given, prepared, plan, interrupts, shown, create)).summary;
    },
  };
}

/** `--find max`: the largest concurrency or rate under SLOs, every look kept as a point of a sweep. */
export async function findLoad(
  given: Given,
  words: PlanWords & { url: string },
  runs: number | null,
  looking: Looking,
): Promise<number> {
  const slos = (words.slo ?? []).map(parseSlo);
  if (slos.length === 0) throw noSlo();
  const variable = words.rate === undefined ? 'concurrency' : 'rate';
  const [least, most] = rangeOf(words, variable);
  const prepared = await looking.prepare({ ...words, requests: words.requests ?? 100 });
  const interrupts = listenForInterrupts(given);
  const title = words.label ?? null;
  const about = { title, variable, llmdyno: version, command: shownCommand(given.io.argv) } as const;
  const writer = await createSweep(given.common.store, { ...about, startedAt: new Date().toISOString() });
  const points: Summary[] = [];
  const probes: Probe[] = [];
  const objective = { word: 'outputTokensPerSec', direction: 'most', pricePerHour: null } as const;
  let found: Found | null = null;
  let offset = 0;
  try {
    for (;;) {
      const question = {
        slos,
        least,
        most,
        whole: variable === 'concurrency',
        budget: runs ?? looking.runs,
        ...defaults,
      };
      const step = findMax(question, probes);
      if (step.kind === 'found') {
        found = step;
        break;
      }
      const point: LoadPoint =
        variable === 'rate'
          ? { concurrency: words.concurrency?.at(-1) ?? null, ratePerSec: step.load }
          : { concurrency: step.load, ratePerSec: null };
      const { requests } = trialSize(point, probes.map(asSeen), words.requests ?? looking.requests);
      const sized = words.duration === undefined ? { requests } : {};
      const own = { ...prepared, words: { ...prepared.words, ...sized, seed: (words.seed ?? 1) + points.length } };
      const plan = planPoint(own, point, offset);
      offset += requests;
      const shown = `${variable} ${step.load}${step.fresh ? say({ en: ' (again)', zh: '（复测）' }, given.common.lang) : ''}`;
      // The prompts stay those of the dataset as it was opened; only the order of arrivals has a seed of its own.
      const summary = await looking.look(prepared, plan, interrupts, shown, (run) => writer.createRun(run));
      if (interrupts.heard) break;
      showPoint(given, summary);
      points.push(summary);
      probes.push({ load: step.load, figures: figuresOf(objective, slos, summary), fresh: step.fresh });
    }
    const findings = auditSweep(points);
    await writer.finish(findings, found !== null);
    const sweep: Sweep = { schema: 'llmdyno.sweep/1', id: writer.sweepId, title, variable, points, findings };
    show(given, sweep, writer.dir, found, words.slo ?? []);
    if (found === null) return exitCodes.interrupted;
    if (!found.confirmed) return exitCodes.gateFailed;
    const doubtful = points.some((point, i) => probes[i]!.load === found!.load && !point.verdict.valid);
    return doubtful && words.lenient !== true ? exitCodes.notValid : exitCodes.ok;
  } finally {
    interrupts.done();
    await prepared.team?.close();
  }
}

function show(given: Given, sweep: Sweep, dir: string, found: Found | null, slo: readonly string[]): void {
  const { lang, json } = given.common;
  if (json) {
    const told =
      found === null
        ? null
        : {
            variable: sweep.variable,
            slo,
            value: found.load,
            confirmed: found.confirmed,
            broken: found.broken,
            atMost: found.atMost,
            outOfRuns: found.outOfRuns,
          };
    given.io.out(`${JSON.stringify({ ...sweep, found: told }, null, 2)}\n`);
    return;
  }
  showSweep(given, sweep, dir);
  if (found === null) return;
  const name =
    sweep.variable === 'rate' ? say({ en: 'rate', zh: '速率' }, lang) : say({ en: 'concurrency', zh: '并发' }, lang);
  const unit = sweep.variable === 'rate' ? '/s' : '';
  const text =
    found.load === null
      ? say(
          {
            en: `even the least load breaks ${found.broken ?? slo.join(', ')}`,
            zh: `最小负载也违反 ${found.broken ?? slo.join('、')}`,
          },
          lang,
        )
      : say(
          {
            en: `largest ${name} that keeps ${slo.join(', ')}: ${found.load}${unit}, ${found.confirmed ? 'confirmed with fresh runs at the 90 % bound' : 'NOT confirmed'}${whyNoMore(found).en}`,
            zh: `满足 ${slo.join('、')} 的最大${name}：${found.load}${unit}，${found.confirmed ? '已用新的运行在 90 % 置信界确认' : '未确认'}${whyNoMore(found).zh}`,
          },
          lang,
        );
  given.io.out(`${text}\n`);
}

/** What stood in the way of a larger answer where it was not an SLO. */
function whyNoMore({ atMost, outOfRuns }: Found): { en: string; zh: string } {
  if (atMost) return { en: '; it is the end of the range, more may be possible', zh: '；已到范围上限，可能还可更大' };
  if (outOfRuns)
    return {
      en: '; the runs were spent before any load broke a limit, more may be possible: raise --find-runs',
      zh: '；运行次数用完时尚未有负载违反限制，可能还可更大：请增大 --find-runs',
    };
  return { en: '', zh: '' };
}

/** Two numbers are the range; one is where it begins. */
function rangeOf(words: PlanWords, variable: 'concurrency' | 'rate'): [number, number] {
  const given = words[variable] ?? [];
  const low = Math.min(...given, ...(given.length === 0 ? [limits[variable].least] : []));
  const high = given.length > 1 ? Math.max(...given) : limits[variable].most;
  return [low, high];
}

/** What is needed of earlier looks to say how long the next one has to be. */
function asSeen({ figures }: Probe): Trial {
  return { figures } as Trial;
}

function noSlo(): UserError {
  return new UserError({
    code: 'no-slo',
    message: { en: 'the largest load under what? there is no SLO', zh: '没有 SLO，无法确定最大负载' },
    hint: { en: "Add for example --slo 'ttft.p99<2s'.", zh: "请添加，例如 --slo 'ttft.p99<2s'。" },
    place: { flag: '--find' },
  });
}
