import { cutToCells, paceKeeper, remainingMs, say } from '../core/index.ts';
import type { Lang, Pace, RunPlan } from '../core/index.ts';
import type { LiveFigures } from '../lab/index.ts';
import type { ParsedCommand } from './command.ts';
import { lineAgain } from './printer.ts';

/** Shows how a run goes: one line that redraws itself on a terminal, nothing elsewhere. */
export interface ProgressLine {
  show(progress: LiveFigures): void;
  clear(): void;
}

/** Cells of the bar: less of a narrow terminal, so that the figures behind it are seen. */
const barCells = (columns: number): number => Math.min(24, Math.floor(columns * 0.3));

/** The progress line of one point; `title` says which. */
export function progressLine(given: ParsedCommand, plan: RunPlan, title: string): ProgressLine {
  const { io, common } = given;
  if (!io.errIsTty || common.quiet) return { show: () => {}, clear: () => {} };
  let begunMs: number | null = null;
  const keeper = paceKeeper();
  return {
    show: (progress) => {
      const pace = keeper.saw(progress.state);
      if (!progress.warmup) begunMs ??= progress.state.nowMs;
      const elapsedMs = progress.state.nowMs - (begunMs ?? 0);
      const text = progress.warmup
        ? [title, say({ en: 'warming up', zh: '预热中' }, common.lang), silenceOf(pace, common.lang)].join('  ')
        : lineOf(title, plan, { ...progress, pace, elapsedMs }, common.lang, barCells(io.columns));
      io.err(`${lineAgain}${cutToCells(text, io.columns - 1)}`);
    },
    clear: () => io.err(lineAgain),
  };
}

function lineOf(
  title: string,
  plan: RunPlan,
  { glance, state, pace, elapsedMs }: LiveFigures & { pace: Pace; elapsedMs: number },
  lang: Lang,
  most: number,
): string {
  const byCount = plan.requests === null ? 0 : glance.recorded / plan.requests;
  const byTime = plan.durationMs === null ? 0 : elapsedMs / plan.durationMs;
  const done = Math.min(1, Math.max(byCount, byTime));
  const cells = Math.round(done * most);
  const bar = '█'.repeat(cells) + '░'.repeat(most - cells);
  const count = plan.requests === null ? `${glance.recorded}` : `${glance.recorded}/${plan.requests}`;
  const leftMs = remainingMs(elapsedMs, done, pace);
  const requestsPerSec = pace.requestsPerSec ?? glance.recent.requestsPerSec;
  const outputTokensPerSec = pace.tokensPerSec ?? glance.recent.outputTokensPerSec;
  return [
    title,
    bar,
    count,
    say({ en: `in flight ${state.inFlight}`, zh: `进行中 ${state.inFlight}` }, lang),
    silenceOf(pace, lang),
    glance.failed > 0 ? say({ en: `failed ${glance.failed}`, zh: `失败 ${glance.failed}` }, lang) : null,
    requestsPerSec === null ? null : `${requestsPerSec.toFixed(1)} req/s`,
    outputTokensPerSec === null ? null : `${Math.round(outputTokensPerSec)} tok/s`,
    leftMs === null
      ? say({ en: `${seconds(elapsedMs)} so far`, zh: `已用 ${seconds(elapsedMs)}` }, lang)
      : say({ en: `${seconds(leftMs)} left`, zh: `剩余 ${seconds(leftMs)}` }, lang),
  ]
    .filter((part) => part !== null)
    .join('  ');
}

/** That nothing comes, and for how long; null = something does. */
function silenceOf({ isSilent, silentMs }: Pace, lang: Lang): string | null {
  if (!isSilent) return null;
  return say({ en: `SILENT for ${seconds(silentMs!)}`, zh: `静默 ${seconds(silentMs!)}` }, lang);
}

function seconds(ms: number): string {
  const s = Math.ceil(ms / 1000);
  return s < 90 ? `${s}s` : s < 5400 ? `${Math.round(s / 60)}m` : `${(s / 3600).toFixed(1)}h`;
}
