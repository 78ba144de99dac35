import { printable, say } from '../../core/index.ts';
import type { Lang } from '../../core/index.ts';
import type { HeldOut, ScoredMetric } from '../../advice/fit/index.ts';
import type { FitDocument, FittedEntry } from './fit-document.ts';

const metricNames: Record<ScoredMetric, { en: string; zh: string }> = {
  outputTokensPerSec: { en: 'throughput', zh: '吞吐' },
  'latencyMs.mean': { en: 'mean latency', zh: '平均延迟' },
  'latencyMs.p90': { en: 'p90 latency', zh: 'p90 延迟' },
};

/** A fit whose own requests are this far off explains nothing. */
const unexplained = 0.15;

/** A fit told to people. */
export function fitText(document: FitDocument, lang: Lang): string {
  const parts = document.sweeps.map((entry) => entryText(entry, lang));
  for (const { title, why } of document.skipped) {
    parts.push(`${printable(title)}\n  ${say({ en: 'not fitted', zh: '未拟合' }, lang)}: ${printable(why)}\n`);
  }
  return parts.join('\n');
}

function entryText(entry: FittedEntry, lang: Lang): string {
  const { cost, overheadMs } = entry.profile;
  const t = (en: string, zh: string): string => say({ en, zh }, lang);
  const lines = [
    printable(entry.title),
    `  ${t('step', '每步')}: a ${cost.aMs.toFixed(3)} ms, c ${slopeText(entry.profile, lang)} ms/${t('sequence', '序列')}, ` +
      `p1 ${cost.p1MsPerPrefillToken.toFixed(4)} ms/token, k ${cost.kMsPer1000KvTokens.toFixed(4)} ms/1000 KV` +
      (cost.rMsPerPrompt === undefined ? '' : `, r ${cost.rMsPerPrompt.toFixed(3)} ms/${t('prompt', '提示词')}`) +
      (overheadMs === undefined ? '' : `, ${t('overhead', '额外开销')} ${overheadMs.toFixed(1)} ms`),
    `  ${limitText(entry, lang)}`,
  ];
  if (entry.used.length > 0) lines.push(`  ${t('fitted to concurrency', '拟合所用并发')}: ${entry.used.join(', ')}`);
  for (const { concurrency, why } of entry.excluded) {
    lines.push(`  ${t('left out', '排除')} ${concurrency ?? '?'}: ${why}`);
  }
  if (entry.heldOut !== null && 'metrics' in entry.heldOut) {
    if (entry.residual !== null && entry.residual > unexplained) {
      lines.push(
        `  ${t(
          `the fitted requests themselves come out ${percent(entry.residual)} off: see whether --set and --scheduler are this server's`,
          `参与拟合的请求本身误差达 ${percent(entry.residual)}：请检查 --set 与 --scheduler 是否与该服务器一致`,
        )}`,
      );
    }
    lines.push(`  ${t('on the requests that were not fitted', '未参与拟合的请求')}:`);
    for (const [name, { measured, predicted, error }] of Object.entries(entry.heldOut.metrics)) {
      lines.push(
        `    ${name.padEnd(16)} ${measured.toFixed(1).padStart(10)} → ${predicted.toFixed(1).padStart(10)}  ${percent(error)}`,
      );
    }
  } else if (entry.heldOut !== null) lines.push(...heldOutLines(entry.heldOut, entry.interpolation, lang));
  lines.push(...serverLines(entry, lang));
  lines.push(...probeLines(entry, lang));
  if (entry.next !== null) {
    const { concurrency, inputTokens, outputTokens, why } = entry.next;
    const lengths =
      inputTokens === undefined || outputTokens === undefined
        ? ''
        : t(`, ${inputTokens} tokens in, ${outputTokens} out`, `，输入 ${inputTokens}、输出 ${outputTokens} token`);
    lines.push(
      `  ${t('measure next', '建议下一个测量点')}: ${t('concurrency', '并发')} ${concurrency}${lengths} (${why})`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** What only probes tell: the prefix cache, and where their requests are kept. */
function probeLines({ kept, repeated = null }: FittedEntry, lang: Lang): string[] {
  const t = (en: string, zh: string): string => say({ en, zh }, lang);
  const lines: string[] = [];
  if (repeated !== null) {
    const { promptTokens, freshMs, againMs, cachedShare } = repeated;
    const share =
      cachedShare === null ? '' : t(`, ${percent(cachedShare)} from the cache`, `，缓存命中 ${percent(cachedShare)}`);
    const [again, fresh] = [againMs.toFixed(1), freshMs.toFixed(1)];
    lines.push(
      `  ${t(
        `the same prompts of ${promptTokens} tokens again: first token ${again} ms after ${fresh} ms`,
        `再次发送相同的 ${promptTokens} token 提示词：首 token ${again} ms，首次为 ${fresh} ms`,
      )}${share}`,
    );
  }
  if (kept !== undefined)
    lines.push(
      `  ${t(`kept as ${kept}; with runs of your own`, `已保存为 ${kept}；可加入自己的运行`)}: dyno fit ${kept} RUN …`,
    );
  return lines;
}

/** What a sequence costs, and where that is more in a large batch. */
function slopeText({ cost }: FittedEntry['profile'], lang: Lang): string {
  const knots = [{ decodes: 0, ms: 0 }, ...(cost.decodeCurve ?? [])];
  const slopes = knots.map((knot, i) => {
    const next = knots[i + 1];
    return next === undefined ? cost.cMsPerDecode : (next.ms - knot.ms) / (next.decodes - knot.decodes);
  });
  const [first, ...later] = slopes.map((slope) => slope.toFixed(4));
  if (later.length === 0) return first!;
  const en = later.map((slope, i) => `${slope} beyond ${knots[i + 1]!.decodes}`).join(', ');
  const zh = later.map((slope, i) => `超过 ${knots[i + 1]!.decodes} 后 ${slope}`).join('，');
  return say({ en: `${first} (${en})`, zh: `${first}（${zh}）` }, lang);
}

/** The front and the launches of a server, and what its runs did not tell. */
function serverLines({ profile, residual, unknown = [] }: FittedEntry, lang: Lang): string[] {
  const t = (en: string, zh: string): string => say({ en, zh }, lang);
  const { front, launch } = profile;
  const lines: string[] = [];
  if (profile.fit?.reach !== undefined && (residual ?? 0) > unexplained) {
    const off = percent(residual!);
    lines.push(`  ${t(`the fitted runs themselves come out ${off} off`, `参与拟合的运行自身误差达 ${off}`)}`);
  }
  if (front !== undefined) {
    const us = (ms: number): string => (1000 * ms).toFixed(1);
    lines.push(
      `  ${t('front', '前端')}: ${t('tokenizer', '分词')} ${us(front.tokenizeMsPerToken)} µs/token, ` +
        `${us(front.promptMsPerToken ?? 0)} µs/${t('prompt token', '输入 token')}, ${front.requestMs.toFixed(2)} ms/${t('request (five times)', '请求（五次）')}, ` +
        `${front.stepMs.toFixed(2)} ms/${t('step', '步')}, ${us(front.tokenMs)} µs/token`,
    );
  }
  if (launch !== undefined)
    lines.push(
      `  ${t('launch of a step with prompts', '含提示词步的下发')}: ${launch.ms.toFixed(1)} ms, ${(launch.graphMs ?? 0).toFixed(1)} ms ${t('as graphs', '（图模式）')}`,
    );
  for (const { constant, why, run } of unknown)
    lines.push(
      `  ${t(`${constant} not identified: ${why}; this would tell`, `${constant} 无法确定：${why}；可补充`)}: ${run}`,
    );
  return lines;
}

function limitText(entry: FittedEntry, lang: Lang): string {
  const { kv } = entry.profile;
  if (entry.limit === 'kv' && kv !== null) {
    return say(
      {
        en: `limited by the KV cache: ${kv.blocks} blocks of ${kv.blockSize}`,
        zh: `受 KV 缓存限制：${kv.blocks} 个 block，每个 ${kv.blockSize}`,
      },
      lang,
    );
  }
  if (entry.maxBatchSize === null) return say({ en: 'no limit was reached', zh: '未达到上限' }, lang);
  const from = {
    given: { en: 'given', zh: '已给定' },
    plateau: { en: 'inferred from the plateau', zh: '由平台推断' },
    seen: { en: 'seen: others waited', zh: '实测：其余请求在排队' },
    'not-reached': { en: 'not reached', zh: '未达到' },
  }[entry.maxBatchSizeFrom];
  return `${say({ en: 'largest batch', zh: '最大批大小' }, lang)}: ${entry.maxBatchSize} (${say(from, lang)})`;
}

function heldOutLines(heldOut: HeldOut, interpolation: HeldOut | null, lang: Lang): string[] {
  const t = (en: string, zh: string): string => say({ en, zh }, lang);
  const names = Object.keys(metricNames) as ScoredMetric[];
  const lines = [
    `  ${t('held-out error (mean, worst; interpolation beside it)', '预测误差（平均、最差；旁为插值）')}:`,
  ];
  for (const name of names) {
    const { mape, worst } = heldOut[name];
    if (mape === null || worst === null) continue;
    const other = interpolation?.[name].mape ?? null;
    lines.push(
      `    ${say(metricNames[name], lang).padEnd(14)} ${percent(mape)}, ${percent(worst)}${other === null ? '' : `  (${percent(other)})`}`,
    );
  }
  for (const { concurrency, measured, predicted } of heldOut.points) {
    const figures = names.flatMap((name) => {
      const [truth, guess] = [measured[name], predicted[name]];
      return truth === null || guess === null
        ? []
        : [`${say(metricNames[name], lang)} ${truth.toFixed(0)} → ${guess.toFixed(0)}`];
    });
    lines.push(`    ${t('concurrency', '并发')} ${concurrency}: ${figures.join(', ')}`);
  }
  return lines;
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`;
}
