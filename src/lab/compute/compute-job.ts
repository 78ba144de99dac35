import { exitCodes, isFailureCode, isMistakes, UserError } from '../../core/index.ts';
import type { Mistake, Summary } from '../../core/index.ts';
import type { MeasuredRun, TracedRequest } from '../../advice/fit/index.ts';
import { nextStep } from '../../advice/tune/index.ts';
import type { Trial, TrialRun, TuneProblem } from '../../advice/tune/index.ts';
import { fromExactJson, toExactJson } from './exact-json.ts';
import { fitOneSweep } from '../fit/fit-document.ts';
import type { SweepAsk } from '../fit/fit-document.ts';
import { fitRequests } from '../fit/fit-requests.ts';
import type { TraceAsk } from '../fit/fit-requests.ts';
import { fitTogether } from '../fit/fit-runs-together.ts';
import { doSimJob } from './sim-job.ts';
import type { SimJob } from './sim-job.ts';
import { checkFiles } from '../runners/worker-rules.ts';
import type { WorkerRules } from '../runners/worker-rules.ts';

/** Work that needs only CPU, as plain data, for whoever has some to spare. */
export type ComputeJob =
  | { do: 'simulate'; work: SimJob }
  | { do: 'fit-sweep'; id: string; title: string; points: readonly Summary[]; ask: SweepAsk }
  | { do: 'fit-runs'; title: string; runs: readonly MeasuredRun[]; ask: TraceAsk }
  | { do: 'tune-step'; problem: TuneProblem; trials: readonly Trial[]; runs: readonly TrialRun[] }
  | { do: 'fit-trace'; title: string; requests: readonly TracedRequest[]; ask: TraceAsk };

/** Does a piece of work; the same result wherever it is done. */
export function doComputeJob(work: ComputeJob): Promise<unknown> {
  if (work.do === 'simulate') return doSimJob(work.work);
  if (work.do === 'tune-step') return Promise.resolve(nextStep(work.problem, work.trials, work.runs));
  if (work.do === 'fit-runs') return Promise.resolve(fitTogether(work.title, work.runs, work.ask));
  return Promise.resolve(
    work.do === 'fit-sweep'
      ? fitOneSweep(work.id, work.title, work.points, work.ask)
      : fitRequests(work.title, work.requests, work.ask),
  );
}

/** What came of a piece of work, or the user's mistake that stood in its way, or that it is too much to be sent. */
type Answer = { done: unknown } | { mistakes: readonly Mistake[]; exitCode: number } | { tooLarge: true };

/** Work and answers that are larger than this as text are not sent: Redis takes half a gibibyte at the most. */
export const mostChars = 128 * 2 ** 20;
const tooLarge: Answer = { tooLarge: true };

/** Does work that came as text and writes the answer as text; a user's mistake is an answer too. */
export async function answerWork(text: string, rules: Pick<WorkerRules, 'files'>): Promise<string> {
  try {
    const work = fromExactJson(text) as ComputeJob;
    if (work.do === 'simulate') checkFiles(rules, work.work.prompts);
    const answer = toExactJson({ done: await doComputeJob(work) } satisfies Answer);
    return answer.length > mostChars ? toExactJson(tooLarge) : answer;
  } catch (error) {
    // JavaScript cannot hold a text that long.
    if (error instanceof RangeError) return toExactJson(tooLarge);
    if (!(error instanceof UserError)) throw error;
    return toExactJson({ mistakes: error.mistakes, exitCode: error.exitCode } satisfies Answer);
  }
}

/** Reads an answer; a mistake is thrown, null = there is none: it was too much to be sent, or no worker of ours wrote it. */
export function readAnswer(text: string): { done: object } | null {
  const answer = objectIn(text);
  const { mistakes, exitCode, done } = answer;
  if (isMistakes(mistakes)) throw new UserError(mistakes, isFailureCode(exitCode) ? exitCode : exitCodes.usage);
  return typeof done === 'object' && done !== null ? { done } : null;
}

function objectIn(text: string): Partial<Record<'mistakes' | 'exitCode' | 'done', unknown>> {
  try {
    return Object(fromExactJson(text)) as ReturnType<typeof objectIn>;
  } catch {
    return {};
  }
}
