import { printable, say } from '../../core/index.ts';
import type { Lang, Phrase, Summary, Sweep, WorkerShareFacts } from '../../core/index.ts';
import { fixed, percent, unknown } from './figure-text.ts';
import { both, table } from './html/both.ts';
import type { Html } from './html/both.ts';
import { markdownTable } from './markdown.ts';
import { pointName, sweepName } from './point-name.ts';
import type { ReportOptions } from './reported.ts';
import { tableText } from './table.ts';

const states: Record<WorkerShareFacts['state'], Phrase> = {
  stayed: { en: 'stayed', zh: '在线' },
  left: { en: 'left', zh: '离开' },
  lost: { en: 'lost', zh: '丢失' },
};

const heads: readonly Phrase[] = [
  { en: 'worker', zh: 'worker' },
  { en: 'state', zh: '状态' },
  { en: 'share', zh: '份额' },
  { en: 'ok', zh: '成功' },
  { en: 'failed', zh: '失败' },
  { en: 'lost', zh: '丢失请求' },
  { en: 'CPU', zh: 'CPU' },
  { en: 'loop delay p99 (ms)', zh: '循环延迟 p99 (ms)' },
  { en: 'clock ± (ms)', zh: '时钟误差 ± (ms)' },
  { en: 'drift (ms)', zh: '时钟漂移 (ms)' },
];

/** What a run over many machines is called above their table. */
export const workersTitle: Phrase = { en: 'Workers', zh: '各 worker' };

type Row = readonly (Phrase | string)[];

/** The machines behind a result: a row per machine and point, under heads; no row where one machine did it all. */
export function workersTable(sweeps: readonly Sweep[]): { heads: Row; rows: Row[] } {
  const points = sweeps.flatMap((sweep) => sweep.points.map((point) => ({ sweep, point })));
  const rows = points.flatMap(({ sweep, point }) => {
    const load =
      points.length === 1 ? '' : `${sweeps.length > 1 ? `${sweepName(sweep)} ` : ''}${pointName(sweep, point)}: `;
    return workerRows(point).map(([name, ...rest]) => [`${load}${name}`, ...rest]);
  });
  return { heads, rows };
}

function workerRows({ workers = [] }: Summary): [string, ...(Phrase | string)[]][] {
  const total = workers.reduce((sum, { exchanges }) => sum + exchanges, 0);
  return workers.map((worker) => [
    labelled(worker),
    states[worker.state],
    percent(total === 0 ? null : worker.exchanges / total),
    String(worker.ok ?? unknown),
    String(worker.failed ?? unknown),
    String(worker.lostAsks),
    percent(worker.health?.cpuRatio),
    fixed(worker.health?.loopDelayP99Ms, 1),
    fixed(worker.clockErrorMs, 2),
    fixed(worker.clockDriftMs, 2),
  ]);
}

function labelled({ name, labels }: WorkerShareFacts): string {
  const said = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return printable(said.length === 0 ? name : `${name} (${said.join(', ')})`);
}

/** The machines behind a result for a terminal; empty where one machine did it all. */
export function workersText(sweeps: readonly Sweep[], { lang, columns }: ReportOptions): string {
  const { head, rows } = inLang(sweeps, lang);
  return rows.length === 0 ? '' : `${tableText(head, rows, columns)}\n`;
}

/** The same as a table of markdown. */
export function workersMarkdown(sweeps: readonly Sweep[], { lang }: ReportOptions): string {
  const { head, rows } = inLang(sweeps, lang);
  return rows.length === 0 ? '' : `\n${markdownTable(head, rows)}\n`;
}

function inLang(sweeps: readonly Sweep[], lang: Lang): { head: string[]; rows: string[][] } {
  const cells = (row: Row): string[] => row.map((cell) => say(cell, lang));
  return { head: cells(heads), rows: workersTable(sweeps).rows.map(cells) };
}

/** The same for a page; null where one machine did it all. */
export function workersHtml(sweeps: readonly Sweep[]): Html | null {
  const { rows } = workersTable(sweeps);
  const caption = { en: 'The machines that sent the requests', zh: '发送请求的机器' };
  return rows.length === 0
    ? null
    : table(
        caption,
        heads.map(both),
        rows.map((row) => row.map(both)),
      );
}
