import { printable, say } from '../../core/index.ts';
import type { Lang, Phrase } from '../../core/index.ts';
import { axisTitle, figureInWords, folded, tableText, tuneInWords } from '../../results/report/index.ts';
import { outcomeWords, pointWords, round, verdictWords } from '../../advice/tune/index.ts';
import type { TuneProgress } from '../events.ts';
import type { Recovery, TuneDocument } from '../../advice/tune/index.ts';

const phaseWords: Readonly<Record<string, Phrase>> = {
  calibrate: { en: 'calibrate', zh: '标定' },
  memory: { en: 'memory', zh: '显存' },
  search: { en: 'search', zh: '搜索' },
  'feasible-first': { en: 'feasible first', zh: '可行优先' },
  confirm: { en: 'confirm', zh: '确认' },
  variant: { en: 'variant', zh: '方案' },
};

/** The answer for a terminal of so many columns: what to change and how sure that is, then why, then every trial. */
export function tuneText(tune: TuneDocument, lang: Lang, columns = Infinity): string {
  return `${[tuneScreen(tune, lang, columns), trialsTable(tune, lang, columns)]
    .filter((part) => part !== '')
    .join('\n\n')
    .trimEnd()}\n`;
}

/** The same without the trials, for the end of a search: `more` is the command that shows them. */
export function tuneScreen(tune: TuneDocument, lang: Lang, columns = Infinity, more: Phrase | null = null): string {
  const { says, change, apply } = tuneInWords(tune);
  const fold = (phrase: Phrase): string => folded(printable(say(phrase, lang)), columns).join('\n');
  const how =
    apply.length === 0 ? [] : [say({ en: 'To apply:', zh: '应用方法：' }, lang), ...apply.map((line) => `  ${line}`)];
  const parts = [
    [fold(says), ...(change === null ? [] : [fold(change)]), ...how].join('\n'),
    tune.variants.length > 0 ? variantsTable(tune, lang, columns) : standingsTable(tune, lang, columns),
    fold(tune.words),
    more === null ? '' : fold(more),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function trialsTable(tune: TuneDocument, lang: Lang, columns: number): string {
  if (tune.variants.length > 0) return '';
  const { metric } = tune.objective;
  const words = [...new Set([metric, ...tune.slos.map(wordOf)])].filter((word) => word !== '');
  const head = [
    say({ en: 'trial', zh: '试验' }, lang),
    say({ en: 'phase', zh: '阶段' }, lang),
    say({ en: 'settings', zh: '设置' }, lang),
    ...words.flatMap((word) => [say(axisTitle(word), lang), say({ en: 'expected', zh: '预测' }, lang)]),
    say({ en: 'outcome', zh: '结果' }, lang),
  ];
  const rows = tune.trials.map((trial) => [
    String(trial.number),
    say(phaseWords[trial.phase] ?? trial.phase, lang),
    pointWords(trial.settings, trial.load),
    ...words.flatMap((word) => {
      const value = trial.figures[word] ?? null;
      const told = trial.predicted?.figures[word];
      return [value === null ? '–' : round(value), told === undefined ? '' : `${round(told.low)}…${round(told.high)}`];
    }),
    trial.outcome === 'ok' && trial.feasible === false
      ? say({ en: 'breaks an SLO', zh: '违反 SLO' }, lang)
      : `${say(outcomeWords[trial.outcome], lang)}${trial.cause === null ? '' : `: ${printable(trial.cause).slice(0, 60)}`}`,
  ]);
  return tableText(head, rows, columns);
}

function wordOf(slo: string): string {
  return /^\s*([A-Za-z]+(?:\.[A-Za-z0-9]+)?)/.exec(slo)?.[1] ?? '';
}

function standingsTable({ best }: TuneDocument, lang: Lang, columns: number): string {
  if (best === null || best.standings.length === 0) return '';
  const head = [
    'SLO',
    say({ en: 'measured', zh: '实测' }, lang),
    say({ en: '90 % bound', zh: '90 % 界' }, lang),
    say({ en: 'kept', zh: '满足' }, lang),
  ];
  return tableText(
    head,
    best.standings.map(({ slo, value, bound, met }) => [
      slo,
      value === null ? '–' : round(value),
      bound === null ? '–' : round(bound),
      met ? say({ en: 'yes', zh: '是' }, lang) : say({ en: 'no', zh: '否' }, lang),
    ]),
    columns,
  );
}

function variantsTable({ variants, objective }: TuneDocument, lang: Lang, columns: number): string {
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  const head = [
    say({ en: 'variant', zh: '方案' }, lang),
    say({ en: 'runs', zh: '运行' }, lang),
    say(axisTitle(objective.metric), lang),
    say({ en: '99 % interval', zh: '99 % 区间' }, lang),
    say({ en: 'change', zh: '变化' }, lang),
    say({ en: '99 % interval', zh: '99 % 区间' }, lang),
    say({ en: 'failed', zh: '失败' }, lang),
    say({ en: 'verdict', zh: '结论' }, lang),
  ];
  const rows = variants.map((arm) => [
    printable(arm.name),
    `${arm.ok}/${arm.ok + arm.bad}`,
    arm.mean === null ? '–' : round(arm.mean),
    arm.interval === null ? '–' : arm.interval.map(round).join('…'),
    arm.changeRatio === null ? '–' : percent(arm.changeRatio),
    arm.changeInterval === null ? '–' : arm.changeInterval.map(percent).join(' … '),
    arm.failedRatio === null ? '–' : percent(arm.failedRatio),
    say(verdictWords[arm.verdict], lang),
  ]);
  return tableText(head, rows, columns);
}

/** One line when a trial begins, one when it ends. */
export function progressText({ number, phase, title, trial, document, leftMs }: TuneProgress, lang: Lang): string {
  // A trial that was interrupted keeps its number and is made again, so that there is one more.
  const again = document.trials.filter((one) => one.outcome === 'interrupted' && one.number < number).length;
  const count = `${number}/${document.variants.length > 0 ? '…' : document.budget.runs + again}`;
  const name = say(phaseWords[phase] ?? phase, lang);
  const best = document.best?.objective.mean;
  if (trial === null) {
    const left =
      leftMs === null
        ? ''
        : say({ en: `; at most ${minutes(leftMs)} left`, zh: `；最多还需 ${minutes(leftMs)}` }, lang);
    const sofar =
      best == null ? '' : say({ en: `; best so far ${round(best)}`, zh: `；当前最优 ${round(best)}` }, lang);
    return `${say({ en: 'trial', zh: '试验' }, lang)} ${count} ${name}: ${title}${sofar}${left}\n`;
  }
  const value = trial.figures[document.objective.metric] ?? null;
  const outcome = `${say(outcomeWords[trial.outcome], lang)}${trial.cause === null ? '' : `: ${printable(trial.cause)}`}`;
  return `  ${outcome}${value === null ? '' : `  ${say(figureInWords(document.objective.metric, value), lang)}`}\n`;
}

function minutes(ms: number): string {
  const s = Math.ceil(ms / 1000);
  return s < 90 ? `${s}s` : s < 5400 ? `${Math.round(s / 60)}m` : `${(s / 3600).toFixed(1)}h`;
}

/** What was put back after a tune that was killed. */
export function recoveryText({ tuneId, restored, changed, ended }: Recovery, lang: Lang): string {
  const lines = [
    ...restored.map((file) => ({
      en: `restored ${file} as it was before tune ${tuneId}, which was killed`,
      zh: `已恢复 ${file}（调优 ${tuneId} 被强制终止前的原文件）`,
    })),
    ...changed.map(({ file, saved }) => ({
      en: `${file} was changed after tune ${tuneId} was killed, so it is left alone; its original lies in ${saved}`,
      zh: `${file} 在调优 ${tuneId} 被终止后又被修改，未改动；原文件在 ${saved}`,
    })),
    ...ended.map((pid) => ({
      en: `ended the server of tune ${tuneId} that was still running (pid ${pid})`,
      zh: `已结束调优 ${tuneId} 遗留的服务器（pid ${pid}）`,
    })),
  ];
  return lines.map((line) => `${say(line, lang)}\n`).join('');
}
