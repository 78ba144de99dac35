import { joined, printable } from '../../core/index.ts';
import type { Phrase, Summary } from '../../core/index.ts';
import { shortFigure } from './sentence/short-figure.ts';

/** What a simulated run's figures are called where its prediction is told. */
const named: readonly [string, Phrase][] = [
  ['outputTokensPerSec', { en: 'tokens/s out', zh: '输出 tok/s' }],
  ['ttftMs.mean', { en: 'first token mean', zh: '首 Token 平均' }],
  ['ttftMs.p99', { en: 'first token p99', zh: '首 Token p99' }],
  ['tpotMs.mean', { en: 'a token after mean', zh: '每 Token 平均' }],
  ['latencyMs.p50', { en: 'whole answer p50', zh: '整个回答 p50' }],
];

/** Where 90 % of measurements of a simulated run should lie; null = its profile does not tell. */
export function predictionWords({ server }: Pick<Summary, 'server'>): Phrase | null {
  const intervals = factsIn(factsIn(server)['prediction'])['intervals'];
  if (typeof intervals !== 'object' || intervals === null) return null;
  const known = named.flatMap(([key, name]) => {
    const ends = factsIn(intervals)[key];
    if (ends === undefined) return [];
    const isRange = Array.isArray(ends) && ends.length === 2 && ends.every(Number.isFinite);
    const range = isRange ? ends.map((end) => shortFigure(end as number)).join(' … ') : null;
    return [{ en: `${name.en} ${range ?? 'not predicted'}`, zh: `${name.zh} ${range ?? '不预测'}` }];
  });
  if (known.length === 0) return null;
  const { en, zh } = joined(known, ' · ', ' · ');
  return { en: `90 % of measurements of the whole run: ${en} (ms)`, zh: `整个运行 90% 的实测应落在：${zh}（ms）` };
}

/** Why to trust a prediction less, in one line; null = nothing is known against it. */
export function predictionDoubts({ server }: Pick<Summary, 'server'>): Phrase | null {
  const warnings = factsIn(factsIn(server)['prediction'])['warnings'];
  if (!Array.isArray(warnings) || warnings.length === 0) return null;
  const said = (fact: unknown): string => printable(String(fact ?? ''));
  const all = warnings.map(factsIn).map(({ en, zh }) => ({ en: said(en), zh: said(zh) }));
  const { en, zh } = joined(all, '; ', '；');
  return { en: `less certain: ${en}`, zh: `可信度较低：${zh}` };
}

/** A part of a file that anybody may have written: an object, or nothing. */
export function factsIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
