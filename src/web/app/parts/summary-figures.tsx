import { quotedFigures } from '../../../core/index.ts';
import type { Distribution, Figures, Summary, Sweep } from '../../../core/index.ts';
import { placeTitle, pointName, promisesInWords, shortFigure, sweepInWords } from '../../../results/report/index.ts';
import { count, num, percent, time, unknown } from '../format.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { VerdictBadge } from './badge.tsx';
import { CardTable, TableHead } from './card-table.tsx';
import { Tiles } from './tiles.tsx';

/** What one asks first of a run: promises, first token, time per token, throughput. Of the steady part, where a part was steady. */
export function FirstTiles({ summary }: { summary: Summary }) {
  const figures: Figures = quotedFigures(summary);
  const { counts } = summary;
  const lost = (
    [
      [counts.failed, both('failed', '失败')],
      [counts.cancelled, both('cancelled', '取消')],
      [counts.dropped, both('dropped', '丢弃')],
      [counts.unaccounted, both('unaccounted', '去向不明')],
    ] as const
  ).filter(([n]) => typeof n === 'number' && n > 0);
  return (
    <Tiles
      tiles={[
        ...promisesInWords(summary).map(({ promised, measured, verdict, kept }) => ({
          name: t(promised),
          value: t(verdict),
          unit: measured,
          tone: kept === null ? '' : kept ? 'good' : 'bad',
        })),
        { name: t('First token (TTFT)', '首 Token (TTFT)'), value: pair(figures.ttftMs), unit: 'p50 / p99' },
        { name: t('A token after (TPOT)', '每 Token (TPOT)'), value: pair(figures.tpotMs), unit: 'p50 / p99' },
        {
          name: t('Throughput', '吞吐'),
          value: shortFigure(figures.outputTokensPerSec ?? figures.requestsPerSec),
          unit: figures.outputTokensPerSec === null ? t('requests/s', '请求/秒') : 'tokens/s',
        },
        {
          name: t('Requests ok', '成功请求'),
          value: `${count(counts.ok)} / ${count(counts.planned)}`,
          unit: lost.map(([n, word]) => `${String(n)} ${t(word)}`).join(', '),
          tone: lost.length > 0 ? 'bad' : '',
        },
      ]}
    />
  );
}

/** Median and p99 with one unit. */
function pair(of: Distribution | null): string {
  if (of === null) return unknown;
  const { p50, p99 } = of;
  if (p50 === null || p99 === null) return `${time(p50)} / ${time(p99)}`;
  return Math.max(p50, p99) < 10_000
    ? `${shortFigure(p50)} / ${shortFigure(p99)} ms`
    : `${shortFigure(p50 / 1000)} / ${shortFigure(p99 / 1000)} s`;
}

/** The rest of what is known of a run: further figures, then all distributions. */
export function MoreFigures({ summary }: { summary: Summary }) {
  const { load, goodput } = summary;
  const figures: Figures = quotedFigures(summary);
  return (
    <>
      <Tiles
        tiles={[
          {
            name: t('Latency p50 / p99', '延迟 p50 / p99'),
            value: pair(figures.latencyMs),
            unit: '',
          },
          { name: t('Requests', '请求'), value: shortFigure(figures.requestsPerSec), unit: '/s' },
          {
            name: t('In flight', '并发'),
            value: shortFigure(figures.concurrencyAchieved),
            unit:
              load.concurrency === null ? '' : t(`of ${num(load.concurrency)} asked`, `目标 ${num(load.concurrency)}`),
          },
          ...(goodput === null
            ? []
            : [
                {
                  name: t('Within the SLO', '达标'),
                  value: percent(goodput.ratio),
                  unit: goodput.slo.join(', '),
                },
              ]),
        ]}
      />
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
    <CardTable caption={caption}>
      <TableHead names={[{ left: t('Metric', '指标') }, 'n', ...columns]} />
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
    </CardTable>
  );
}

function Distributions({ summary }: { summary: Summary }) {
  return (
    <DistributionTable
      caption={t('Distributions', '分布')}
      rows={[
        [t('Latency', '延迟'), summary.latencyMs, true],
        [t('First token (TTFT)', '首 Token (TTFT)'), summary.ttftMs, true],
        [t('Per output token (TPOT)', '每 Token (TPOT)'), summary.tpotMs, true],
        [t('Between tokens (ITL)', 'token 间隔 (ITL)'), summary.itlMs, true],
        [t('Lateness of sends', '发送滞后'), summary.latenessMs, true],
        [t('Input tokens', '输入 token'), summary.inputTokens, false],
        [t('Output tokens', '输出 token'), summary.outputTokens, false],
        [t('Tokens/s of one user', '单用户 tok/s'), summary.userTokensPerSec, false],
      ]}
    />
  );
}

/** The points of a sweep; each with requests leads to its own page. */
export function PointsTable({ sweep, runs, id }: { sweep: Sweep; runs: readonly string[]; id: string }) {
  const caption = t('Points', '测试点');
  const { best } = sweepInWords(sweep);
  return (
    <div class="block">
      <CardTable caption={caption}>
        <TableHead
          names={[
            { left: t(placeTitle(sweep)) },
            t('tokens/s', 'tok/s'),
            t('requests/s', '请求/秒'),
            'TTFT p50',
            'TTFT p99',
            'TPOT p50',
            'TPOT p99',
            t('Latency p50', '延迟 p50'),
            t('Latency p99', '延迟 p99'),
            t('ok / planned', '成功 / 计划'),
            t('Duration', '用时'),
            { left: t('Verdict', '结论') },
          ]}
        />
        <tbody>
          {sweep.points.map((point) => {
            const figures: Figures = quotedFigures(point);
            const broken = new Set(
              promisesInWords(point)
                .filter(({ kept }) => kept === false)
                .map(({ promised }) => promised.en.split(' ')[0]!),
            );
            const cell = (metric: string, text: string) => (
              <td class={broken.has(metric) ? 'bad-text' : undefined}>
                {text}
                {broken.has(metric) && ' !'}
              </td>
            );
            return (
              <tr key={point.runId} class={point === best ? 'best' : undefined}>
                <th scope="row">
                  {point === best && '→ '}
                  {runs.includes(point.runId) ? (
                    <a href={linkTo('run', `${id}/${point.runId}`)}>{pointName(sweep, point)}</a>
                  ) : (
                    pointName(sweep, point)
                  )}
                </th>
                <td>{shortFigure(figures.outputTokensPerSec)}</td>
                <td>{shortFigure(figures.requestsPerSec)}</td>
                {cell('ttft.p50', time(figures.ttftMs?.p50))}
                {cell('ttft.p99', time(figures.ttftMs?.p99))}
                {cell('tpot.p50', time(figures.tpotMs?.p50))}
                {cell('tpot.p99', time(figures.tpotMs?.p99))}
                {cell('latency.p50', time(figures.latencyMs?.p50))}
                {cell('latency.p99', time(figures.latencyMs?.p99))}
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
            );
          })}
        </tbody>
      </CardTable>
    </div>
  );
}

/** The load of a point, with its lengths where a grid varied them. */
export function loadName(point: Summary): string {
  const load = num(point.load.concurrency ?? point.load.ratePerSec);
  const lengths = point.lengthsAsked;
  return lengths === undefined ? load : `${load} · ${lengths.input ?? '·'} → ${lengths.output ?? '·'}`;
}
