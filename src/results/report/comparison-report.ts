import { printable, say } from '../../core/index.ts';
import type { Lang, Phrase, Sweep } from '../../core/index.ts';
import type { ComparedMetricRow, Comparison, GateResult, MetricChange } from '../measure/index.ts';
import { countOf, percent, sized, unknown } from './figure-text.ts';
import { findingLines } from './finding-text.ts';
import { both, markup, table, text } from './html/both.ts';
import type { Html } from './html/both.ts';
import { escaped, markdownTable } from './markdown.ts';
import { plainPainter } from './reported.ts';
import type { ReportOptions } from './reported.ts';
import { askedInWords } from './sentence/asked.ts';
import { changeVerdict, compareInWords, letterOf } from './sentence/compare.ts';
import type { ChangeVerdict } from './sentence/compare.ts';
import { gateWords } from './sentence/gate.ts';
import { promiseWords } from './sentence/promise.ts';
import { axisTitle } from './sentence/trend.ts';
import { tableText } from './table.ts';

const labels = {
  load: { en: 'load', zh: '负载' },
  metric: { en: 'metric', zh: '指标' },
  change: { en: 'change', zh: '变化' },
  interval: { en: '95 % interval', zh: '95% 区间' },
  verdict: { en: 'verdict', zh: '结论' },
  better: { en: 'better', zh: '更好' },
  worse: { en: 'worse', zh: '更差' },
  same: { en: 'no clear difference', zh: '无显著差异' },
  unsure: { en: 'not known how sure', zh: '可靠程度未知' },
  notComparable: {
    en: 'Not comparable: the differences below say nothing about the engines.',
    zh: '不可比：以下差异不能说明引擎优劣。',
  },
  rowNotComparable: { en: 'not comparable', zh: '不可比' },
  baseline: { en: 'baseline', zh: '基线' },
  unaccounted: { en: 'unaccounted', zh: '去向不明' },
  steady: {
    en: 'Figures are of the steady stretch, as the intervals are; the whole run is in dyno report.',
    zh: '数值与区间均取稳态段；全程数据见 dyno report。',
  },
  method: {
    en: 'Interval: stretches of both runs drawn with replacement (1000 times), Student t on the log ratio. Verdict: after Holm over all rows of a load.',
    zh: '区间：对两次运行的时间段有放回抽样 1000 次，对数比值的 Student t 区间。结论：对同一负载的所有行做 Holm 校正。',
  },
} as const satisfies Record<string, Phrase>;

const gateMarks = { passed: '✅', failed: '❌', unsure: '❔', unknown: '❔' } as const;

const verdicts: Readonly<Record<ChangeVerdict, Phrase>> = {
  better: labels.better,
  worse: labels.worse,
  same: labels.same,
  untested: labels.unsure,
  incomparable: labels.rowNotComparable,
  unknown: { en: unknown, zh: unknown },
};

function verdictOf(row: ComparedMetricRow, change: MetricChange): Phrase {
  return verdicts[changeVerdict(row, change)];
}

function signed(ratio: number | null): string {
  return ratio === null || !Number.isFinite(ratio) ? unknown : `${ratio >= 0 ? '+' : ''}${percent(ratio)}`;
}

function rangeOf(change: MetricChange): string {
  return change.interval === null ? unknown : `${signed(change.interval[0])} … ${signed(change.interval[1])}`;
}

/** One row per metric, load and candidate: load, metric, values, change, interval, verdict. */
function cellsOf(comparison: Comparison, lang: Lang): { head: string[]; rows: string[][] } {
  const several = comparison.runs.length > 2;
  const names = comparison.names.map((name, i) => letterOf(i).concat(several ? '' : ` ${printable(name)}`));
  const head = [say(labels.load, lang), say(labels.metric, lang), ...names];
  const perCandidate = comparison.names.slice(1).flatMap((_, i) => {
    const to = several ? ` ${letterOf(i + 1)}/${letterOf(0)}` : '';
    return [
      `${say(labels.change, lang)}${to}`,
      ...(several ? [] : [say(labels.interval, lang)]),
      `${say(labels.verdict, lang)}${to}`,
    ];
  });
  const rows = comparison.metrics.map((row) => [
    row.place === undefined ? (row.load === null ? unknown : String(row.load)) : printable(row.place),
    say(axisTitle(row.metric), lang),
    ...row.values.map((value) => (row.metric === 'failed' ? percent(value) : sized(value))),
    ...row.changes.flatMap((change) => [
      signed(change.changeRatio),
      ...(several ? [] : [rangeOf(change)]),
      say(verdictOf(row, change), lang),
    ]),
  ]);
  return { head: [...head, ...perCandidate], rows };
}

function legend(comparison: Comparison, lang: Lang): string[] {
  return comparison.names.map(
    (name, i) => `${letterOf(i)}: ${printable(name)}${i === 0 ? ` (${say(labels.baseline, lang)})` : ''}`,
  );
}

function notes(comparison: Comparison): Phrase[] {
  const steady = comparison.metrics.some(({ basis }) => basis === 'steady');
  const interval = comparison.metrics.some((row) => row.interval !== null);
  return [...(steady ? [labels.steady] : []), ...(interval ? [labels.method] : [])];
}

function gateLine(gate: GateResult, lang: Lang): string {
  return say(gateWords(gate), lang);
}

/** Every promise in a line, with whose it is. */
function promisesOf({ runs, promises = [] }: Comparison): { kept: boolean | null; line: Phrase }[] {
  return promises.map((one) => {
    const { en, zh } = promiseWords(one).line;
    const whose = `${letterOf(runs.indexOf(one.run))}${one.place === undefined ? '' : ` @ ${printable(one.place)}`}`;
    return { kept: one.kept, line: { en: `${whose}: ${en}`, zh: `${whose}：${zh}` } };
  });
}

/** The comparison for a terminal. */
export function comparisonReportText(comparison: Comparison, options: ReportOptions): string {
  const { lang } = options;
  const paint = options.paint ?? plainPainter;
  const { head, rows } = cellsOf(comparison, lang);
  const lines = [
    ...(comparison.comparable ? [] : [paint.bad(say(labels.notComparable, lang))]),
    ...(comparison.comparable ? compareInWords(comparison).map(({ says }) => paint.strong(say(says, lang))) : []),
    ...legend(comparison, lang),
    ...(rows.length > 0 ? [tableText(head, rows, options.columns)] : []),
    ...notes(comparison).map((note) => paint.faint(say(note, lang))),
    ...findingLines(comparison.findings, lang, paint, options.columns),
    ...promisesOf(comparison).map(({ kept, line }) => (kept === false ? paint.bad : paint.good)(say(line, lang))),
    ...comparison.gates.map((gate) =>
      (gate.failed ? paint.bad : gate.state === 'passed' ? paint.good : paint.warn)(gateLine(gate, lang)),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** The comparison as GitHub-flavoured markdown, for a job summary or a pull request: the answer, who was compared and how each was asked, then the table. */
export function comparisonMarkdown(comparison: Comparison, { lang }: ReportOptions, sweeps: readonly Sweep[]): string {
  const { head, rows } = cellsOf(comparison, lang);
  const answers = compareInWords(comparison).map(({ says }) => `**${escaped(say(says, lang))}**`);
  const sides = legend(comparison, lang).map((name, i) => {
    const points = sweeps.find(({ id }) => id === comparison.runs[i])?.points ?? [];
    // The side's name has told its label.
    const asked = say(askedInWords(points.map((point) => ({ ...point, label: null }))), lang);
    const lost = points.reduce((sum, { counts }) => sum + (countOf(counts, 'unaccounted') ?? 0), 0);
    const gone = lost === 0 ? '' : ` · ${say(labels.unaccounted, lang)} ${lost}`;
    return `- ${escaped(`${name}${asked === '' ? '' : ` · ${asked}`}${gone}`)}`;
  });
  return `${[
    `### ${comparison.names.map(escaped).join(' vs ')}`,
    '',
    ...answers.flatMap((answer) => [answer, '']),
    ...sides,
    '',
    ...(rows.length === 0 ? [] : [markdownTable(head, rows, 2), '']),
    ...comparison.gates.map((gate) => `- ${gateMarks[gate.state]} ${escaped(gateLine(gate, lang))}`),
    ...promisesOf(comparison).map(
      ({ kept, line }) => `- ${kept === null ? '❔' : kept ? '✅' : '❌'} ${escaped(say(line, lang))}`,
    ),
    ...comparison.findings.map(
      (finding) => `- ${escaped(lang === 'zh' ? finding.zh.message : finding.message)} (${escaped(finding.code)})`,
    ),
    ...notes(comparison).map((note) => `- ${escaped(say(note, lang))}`),
  ].join('\n')}\n`;
}

/** The comparison as a section of a page. */
export function comparisonHtml(comparison: Comparison): Html {
  const [en, zh] = [cellsOf(comparison, 'en'), cellsOf(comparison, 'zh')];
  const merged = (a: string, b: string): Html => both({ en: a, zh: b });
  const rows = en.rows.map((row, r) => row.map((value, c) => merged(value, zh.rows[r]![c]!)));
  const names = legend(comparison, 'en').map(
    (line, i) => markup`<li>${merged(line, legend(comparison, 'zh')[i]!)}</li>`,
  );
  const gates = comparison.gates.map(
    (gate) =>
      markup`<li class="${text(gate.failed ? 'badword' : 'good')}">
        ${merged(gateLine(gate, 'en'), gateLine(gate, 'zh'))}
      </li>`,
  );
  const findings = comparison.findings.map(
    (finding) =>
      markup`<div class="finding ${text(finding.severity)}">
        <p>${both({ en: finding.message, zh: finding.zh.message })} <span class="faint">${text(finding.code)}</span></p>
      </div>`,
  );
  return markup`${comparison.comparable ? text('') : markup`<p class="badword"><strong>${both(labels.notComparable)}</strong></p>`}
    <ul>
      ${names}
    </ul>
    ${
      en.rows.length > 0
        ? table(
            { en: 'Differences', zh: '差异' },
            en.head.map((head, i) => merged(head, zh.head[i]!)),
            rows,
          )
        : text('')
    }${notes(comparison).map((note) => markup`<p class="faint">${both(note)}</p>`)}${
      gates.length > 0
        ? markup`<ul>
            ${gates}
          </ul>`
        : text('')
    }${findings}`;
}
