import type { Distribution, Summary, Sweep } from '../../../core/index.ts';
import { placeTitle, pointName, promisesInWords } from '../../../results/report/index.ts';
import { count, num, percent, time } from '../format.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { VerdictBadge } from './badge.tsx';
import { Tiles } from './tiles.tsx';

/** The figures of one run that one looks for first, then all distributions. */
export function SummaryTiles({ summary }: { summary: Summary }) {
  const { counts, load, goodput } = summary;
  const tiles: [string, string, string][] = [
    ...promisesInWords(summary).map(({ promised, measured, verdict }): [string, string, string] => [
      t(promised),
      t(verdict),
      measured,
    ]),
    [t(both('Output', '输出')), num(summary.outputTokensPerSec), 'tokens/s'],
    [t(both('Requests', '请求')), num(summary.requestsPerSec), '/s'],
    ['TTFT p50 / p99', `${time(summary.ttftMs?.p50)} / ${time(summary.ttftMs?.p99)}`, ''],
    ['TPOT p50 / p99', `${time(summary.tpotMs?.p50)} / ${time(summary.tpotMs?.p99)}`, ''],
    [
      t(both('Latency p50 / p99', '延迟 p50 / p99')),
      `${time(summary.latencyMs?.p50)} / ${time(summary.latencyMs?.p99)}`,
      '',
    ],
    [
      t(both('In flight', '并发')),
      num(summary.concurrencyAchieved),
      load.concurrency === null ? '' : t(both(`of ${num(load.concurrency)} asked`, `目标 ${num(load.concurrency)}`)),
    ],
    [
      t(both('Requests ok', '成功请求')),
      `${count(counts.ok)} / ${count(counts.planned)}`,
      [
        ['failed', counts.failed, both('failed', '失败')],
        ['cancelled', counts.cancelled, both('cancelled', '取消')],
        ['dropped', counts.dropped, both('dropped', '丢弃')],
        ['unaccounted', counts.unaccounted, both('unaccounted', '去向不明')],
      ]
        .filter(([, n]) => typeof n === 'number' && n > 0)
        .map(([, n, word]) => `${String(n)} ${t(word as { en: string; zh: string })}`)
        .join(', '),
    ],
    ...(goodput === null
      ? []
      : ([[t(both('Within the SLO', '达标')), percent(goodput.ratio), goodput.slo.join(', ')]] as [
          string,
          string,
          string,
        ][])),
  ];
  return (
    <>
      <Tiles tiles={tiles} />
      <Distributions summary={summary} />
    </>
  );
}

const columns = ['mean', 'min', 'p50', 'p75', 'p90', 'p95', 'p99', 'max'] as const;

/** Rows of distributions under common columns. */
export function DistributionTable({
  rows,
  caption,
}: {
  rows: readonly (readonly [string, Distribution | null, boolean])[];
  caption: string;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="left">
              {t(both('Metric', '指标'))}
            </th>
            <th scope="col">n</th>
            {columns.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            .filter((row): row is readonly [string, Distribution, boolean] => row[1] !== null)
            .map(([name, values, isTime]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{count(values.n)}</td>
                {columns.map((column) => (
                  <td key={column}>{isTime ? time(values[column]) : num(values[column])}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function Distributions({ summary }: { summary: Summary }) {
  return (
    <DistributionTable
      caption={t(both('Distributions', '分布'))}
      rows={[
        [t(both('Latency', '延迟')), summary.latencyMs, true],
        [t(both('First token (TTFT)', '首 token (TTFT)')), summary.ttftMs, true],
        [t(both('Per output token (TPOT)', '每输出 token (TPOT)')), summary.tpotMs, true],
        [t(both('Between tokens (ITL)', 'token 间隔 (ITL)')), summary.itlMs, true],
        [t(both('Lateness of sends', '发送滞后')), summary.latenessMs, true],
        [t(both('Input tokens', '输入 token')), summary.inputTokens, false],
        [t(both('Output tokens', '输出 token')), summary.outputTokens, false],
        [t(both('Tokens/s of one user', '单用户 token/秒')), summary.userTokensPerSec, false],
      ]}
    />
  );
}

/** The points of a sweep; each with requests leads to its own page. */
export function PointsTable({ sweep, runs, id }: { sweep: Sweep; runs: readonly string[]; id: string }) {
  const caption = t(both('Points', '测试点'));
  return (
    <section aria-label={caption}>
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="left">
                {t(placeTitle(sweep))}
              </th>
              <th scope="col">{t(both('tokens/s', 'token/秒'))}</th>
              <th scope="col">{t(both('requests/s', '请求/秒'))}</th>
              <th scope="col">{t(both('Latency', '延迟'))}</th>
              <th scope="col">p90</th>
              <th scope="col">TTFT p50</th>
              <th scope="col">p99</th>
              <th scope="col">TPOT p50</th>
              <th scope="col">{t(both('ok / planned', '成功 / 计划'))}</th>
              <th scope="col">{t(both('Duration', '用时'))}</th>
              <th scope="col" class="left">
                {t(both('Verdict', '结论'))}
              </th>
            </tr>
          </thead>
          <tbody>
            {sweep.points.map((point) => (
              <tr key={point.runId}>
                <th scope="row">
                  {runs.includes(point.runId) ? (
                    <a href={linkTo('run', `${id}/${point.runId}`)}>{pointName(sweep, point)}</a>
                  ) : (
                    pointName(sweep, point)
                  )}
                </th>
                <td>{num(point.outputTokensPerSec)}</td>
                <td>{num(point.requestsPerSec)}</td>
                <td>{time(point.latencyMs?.mean)}</td>
                <td>{time(point.latencyMs?.p90)}</td>
                <td>{time(point.ttftMs?.p50)}</td>
                <td>{time(point.ttftMs?.p99)}</td>
                <td>{time(point.tpotMs?.p50)}</td>
                <td class={(point.counts.failed ?? 0) > 0 ? 'bad-text' : undefined}>
                  {count(point.counts.ok)} / {count(point.counts.planned)}
                </td>
                <td>{time(point.durationMs)}</td>
                <td class="left">
                  <VerdictBadge
                    verdict={
                      !point.verdict.valid
                        ? 'invalid'
                        : point.verdict.findings.some(({ severity }) => severity === 'warn')
                          ? 'warn'
                          : 'valid'
                    }
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The load of a point, with its lengths where a grid varied them. */
export function loadName(point: Summary): string {
  const load = num(point.load.concurrency ?? point.load.ratePerSec);
  const lengths = point.lengthsAsked;
  return lengths === undefined ? load : `${load} · ${lengths.input ?? '·'} → ${lengths.output ?? '·'}`;
}
