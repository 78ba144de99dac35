import { printable, problems, severityRank } from '../../../core/index.ts';
import type { Distribution, Finding, Phrase, Summary, Sweep } from '../../../core/index.ts';
import { countColumns } from '../count-columns.ts';
import { countOf, fixed, secondsOf, sized, sizedTogether, unknown } from '../figure-text.ts';
import { placeTitle, pointName, sweepName } from '../point-name.ts';
import { telemetryWords } from '../telemetry-text.ts';
import { labels } from '../labels.ts';
import { both, markup, table, text } from './both.ts';
import type { Html } from './both.ts';

/** One row per point. */
export function sweepTable(sweep: Sweep): Html {
  const counted = countColumns(sweep.points);
  const heads: (Phrase | string)[] = [
    placeTitle(sweep),
    labels.ok,
    ...counted.map(({ name: title }) => title),
    { en: 'duration (s)', zh: '用时（秒）' },
    { en: 'requests/s', zh: 'QPS' },
    { en: 'output tokens/s', zh: '吞吐量' },
    { en: 'latency (s)', zh: '延迟（秒）' },
    'p50',
    'p90',
    'p99',
    { en: 'TTFT p50 (ms)', zh: '首 Token p50 (ms)' },
    { en: 'TTFT p99 (ms)', zh: '首 Token p99 (ms)' },
    { en: 'TPOT p50 (ms)', zh: 'TPOT p50 (ms)' },
  ];
  const rows = sweep.points.map((point) => [
    markup`${text(pointName(sweep, point))}${point.verdict.valid ? text('') : markup` <span class="badword">○ ${both({ en: 'not valid', zh: '无效' })}</span>`}`,
    ...[
      String(countOf(point.counts, 'ok') ?? unknown),
      ...counted.map((column) => String(column.of(point) ?? unknown)),
      fixed(secondsOf(point.durationMs), 1),
      sized(point.requestsPerSec),
      sized(point.outputTokensPerSec),
      ...(['mean', 'p50', 'p90', 'p99'] as const).map((key) => fixed(secondsOf(point.latencyMs?.[key]), 3)),
      ...sizedTogether([point.ttftMs?.p50, point.ttftMs?.p99]),
      sized(point.tpotMs?.p50),
    ].map(text),
  ]);
  const name = sweepName(sweep);
  return table({ en: `${name}: every point`, zh: `${name}：各负载点` }, heads.map(both), rows);
}

/** The distributions of one point. */
export function distributionTable(point: Summary, name: string): Html {
  const list: [Phrase, Distribution | null][] = [
    [labels.latency, point.latencyMs],
    [labels.ttft, point.ttftMs],
    [labels.timeToAnswer, point.timeToAnswerMs],
    [labels.tpot, point.tpotMs],
    [labels.itl, point.itlMs],
    [labels.latencyFromDue, point.latencyFromDueMs],
    [labels.lateness, point.latenessMs],
    [labels.userSpeed, point.userTokensPerSec],
    [labels.inputTokens, point.inputTokens],
    [labels.outputTokens, point.outputTokens],
  ];
  const shown = ['mean', 'min', 'p50', 'p90', 'p95', 'p99', 'max'] as const;
  const rows = list
    .filter((row): row is [Phrase, Distribution] => row[1] !== null)
    .map(([title, dist]) => [
      both(title),
      text(String(dist.n)),
      ...sizedTogether(shown.map((key) => dist[key])).map(text),
    ]);
  return table(
    {
      en: `${name}: distributions; percentiles: ${point.percentileMethod ?? unknown}`,
      zh: `${name}：分布；百分位算法：${point.percentileMethod ?? unknown}`,
    },
    [both(labels.metric), text('n'), ...shown.map((key) => (key === 'mean' ? both(labels.mean) : text(key)))],
    rows,
  );
}

/** Why requests failed, where any did. */
export function problemTable(points: readonly Summary[]): Html | null {
  const counts = new Map<string, number>();
  for (const point of points)
    for (const [code, count] of Object.entries(point.counts.byProblem))
      counts.set(code, (counts.get(code) ?? 0) + (count ?? 0));
  const rows = [...counts]
    .filter(([, count]) => count > 0)
    .map(([code, count]) => [
      both(Object.hasOwn(problems, code) ? problems[code as keyof typeof problems] : printable(code)),
      text(code),
      text(String(count)),
    ]);
  if (rows.length === 0) return null;
  return table(
    { en: 'Why requests failed', zh: '请求失败的原因' },
    [both({ en: 'cause', zh: '原因' }), both({ en: 'code', zh: '代码' }), both({ en: 'requests', zh: '请求数' })],
    rows,
  );
}

/** What server and cards did at each point; null where nothing was watched. */
export function telemetryList(sweeps: readonly Sweep[]): Html | null {
  const items = sweeps.flatMap((sweep) =>
    sweep.points.flatMap((point) => {
      const where = `${sweeps.length > 1 ? `${sweepName(sweep)} ` : ''}${pointName(sweep, point)}`;
      const alone = sweeps.length === 1 && sweep.points.length === 1;
      return telemetryWords(point).map(
        ({ en, zh }) => markup`<li>${both(alone ? { en, zh } : { en: `${where}: ${en}`, zh: `${where}：${zh}` })}</li>`,
      );
    }),
  );
  return items.length === 0 ? null : markup`<ul>${items}</ul>`;
}

/** The audit: each doubt once, with the points it is about. */
export function findingList(sweeps: readonly Sweep[]): Html {
  const about = new Map<string, { finding: Finding; where: string[] }>();
  for (const sweep of sweeps) {
    const place = (point: Summary): string =>
      `${sweeps.length > 1 ? `${sweepName(sweep)} ` : ''}${pointName(sweep, point)}`;
    const all = [
      ...sweep.points.flatMap((point) => point.verdict.findings.map((finding) => ({ finding, where: place(point) }))),
      ...sweep.findings.map((finding) => ({ finding, where: sweepName(sweep) })),
    ];
    for (const { finding, where } of all) {
      const known = about.get(`${finding.code} ${finding.message}`) ?? { finding, where: [] };
      known.where.push(where);
      about.set(`${finding.code} ${finding.message}`, known);
    }
  }
  const items = [...about.values()]
    .toSorted((a, b) => severityRank[a.finding.severity] - severityRank[b.finding.severity])
    .map(({ finding, where }) => findingBox(finding, where));
  return items.length === 0
    ? markup`<p>${both({ en: 'Nothing to doubt was found.', zh: '未发现可疑之处。' })}</p>`
    : markup`${items}`;
}

const severities = { info: labels.severityInfo, warn: labels.severityWarn, invalid: labels.severityInvalid };

function findingBox(finding: Finding, where: readonly string[]): Html {
  const evidence = Object.entries(finding.evidence).map(
    ([key, value]) => `${key} = ${typeof value === 'number' ? sized(value) : String(value)}`,
  );
  return markup`<div class="finding ${text(finding.severity)}">
    <p>
      <strong>${both(severities[finding.severity])}</strong> · ${both({ en: finding.message, zh: finding.zh.message })}
    </p>
    <p class="faint">
      ${text(finding.code)} ·
      ${text(where.join(', '))}${evidence.length > 0 ? markup` · ${text(evidence.join(', '))}` : text('')}
    </p>
    ${finding.advice === '' ? text('') : markup`<p>${both({ en: `Advice: ${finding.advice}`, zh: `建议：${finding.zh.advice}` })}</p>`}
  </div>`;
}
