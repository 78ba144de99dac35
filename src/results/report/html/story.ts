import { printable, severityRank } from '../../../core/index.ts';
import type { Finding, Phrase, Summary, Sweep } from '../../../core/index.ts';
import { countOf, fixed, percent, secondsOf, sized } from '../figure-text.ts';
import { placeTitle, pointName, sweepName } from '../point-name.ts';
import { simulationNotes } from '../chart/sweep-figures.ts';

/** What a report says first. */
export interface Story {
  tone: 'good' | 'warn' | 'bad';
  verdict: Phrase;
  /** Simulated, partial: what must be known before any figure is read. */
  cautions: Phrase[];
  tested: Phrase[];
  found: Phrase[];
  advice: Phrase[];
}

/** The story of one or several sweeps; a single run is a sweep of one point. */
export function storyOf(sweeps: readonly Sweep[]): Story {
  const points = sweeps.flatMap((sweep) => sweep.points);
  const invalid = points.filter((point) => !point.verdict.valid);
  const doubtful = points.filter((point) => point.verdict.findings.some(({ severity }) => severity === 'warn'));
  const tone = invalid.length > 0 ? 'bad' : doubtful.length > 0 ? 'warn' : 'good';
  return {
    tone,
    verdict: verdictWords(points.length, invalid.length, doubtful.length),
    cautions: cautionsOf(points),
    tested: sweeps.map(testedWords),
    found: sweeps.flatMap(foundWords),
    advice: adviceOf([...points.flatMap((point) => point.verdict.findings), ...sweeps.flatMap((s) => s.findings)]),
  };
}

function verdictWords(all: number, invalid: number, doubtful: number): Phrase {
  if (invalid === all && all === 1)
    return { en: 'Not valid: do not use these figures as they stand.', zh: '无效：这些数据不可直接使用。' };
  if (invalid > 0)
    return {
      en: `${invalid} of ${all} points are not valid and are drawn hollow; the others can be used.`,
      zh: `${all} 个点中有 ${invalid} 个无效（图中为空心点），其余可用。`,
    };
  if (doubtful > 0)
    return {
      en: `Valid, with warnings on ${doubtful} of ${all} points: read the audit before quoting.`,
      zh: `有效，但 ${all} 个点中有 ${doubtful} 个带警告：引用前请看审计。`,
    };
  return { en: 'Valid: no doubt about these figures was found.', zh: '有效：未发现可疑之处。' };
}

function cautionsOf(points: readonly Summary[]): Phrase[] {
  const cautions = simulationNotes(points);
  if (points.some((point) => point.partial))
    cautions.push({ en: 'Partial: a run did not end by itself.', zh: '不完整：有运行未正常结束。' });
  return cautions;
}

function testedWords(sweep: Sweep): Phrase {
  const loads = sweep.points.map((point) => pointName(sweep, point));
  const [first] = sweep.points;
  const requests = sweep.points.reduce((sum, point) => sum + (countOf(point.counts, 'planned') ?? 0), 0);
  const model = first?.model === null || first === undefined ? '' : printable(first.model);
  const listed = loads.length > 14 ? `${loads.slice(0, 12).join(', ')} … ${loads.at(-1)}` : loads.join(', ');
  const unit = placeTitle(sweep);
  return {
    en: `${sweepName(sweep)}${model === '' ? '' : ` (model ${model})`}: ${unit.en} ${listed}; ${requests} requests planned; source ${first?.source.tool ?? '–'}.`,
    zh: `${sweepName(sweep)}${model === '' ? '' : `（模型 ${model}）`}：${unit.zh} ${listed}；计划请求 ${requests} 个；来源 ${first?.source.tool ?? '–'}。`,
  };
}

function foundWords(sweep: Sweep): Phrase[] {
  const usable = sweep.points.filter((point) => point.verdict.valid && point.outputTokensPerSec !== null);
  const best = usable.reduce<Summary | null>(
    (most, point) => (most === null || point.outputTokensPerSec! > most.outputTokensPerSec! ? point : most),
    null,
  );
  const name = sweepName(sweep);
  const found: Phrase[] = [];
  if (best !== null) {
    const [load, latency, ttft] = [pointName(sweep, best), fixed(secondsOf(best.latencyMs?.mean), 2), best.ttftMs?.p50];
    const first =
      typeof ttft === 'number'
        ? { en: `, first token p50 ${sized(ttft)} ms`, zh: `，首 Token p50 ${sized(ttft)} ms` }
        : { en: '', zh: '' };
    found.push({
      en: `${name}: most output was ${sized(best.outputTokensPerSec)} tokens/s at ${load} (${sized(best.requestsPerSec)} requests/s, mean latency ${latency} s${first.en}).`,
      zh: `${name}：最高输出 ${sized(best.outputTokensPerSec)} tok/s，负载 ${load}（${sized(best.requestsPerSec)} 请求/秒，平均延迟 ${latency} 秒${first.zh}）。`,
    });
  }
  const failed = sweep.points.reduce((sum, point) => sum + (countOf(point.counts, 'failed') ?? 0), 0);
  const issued = sweep.points.reduce((sum, point) => sum + (countOf(point.counts, 'issued') ?? 0), 0);
  if (failed > 0)
    found.push({
      en: `${name}: ${failed} requests failed${issued > 0 ? ` (${percent(failed / issued)})` : ''}.`,
      zh: `${name}：${failed} 个请求失败${issued > 0 ? `（${percent(failed / issued)}）` : ''}。`,
    });
  return found;
}

/** What to do, each once, the gravest first. */
function adviceOf(findings: readonly Finding[]): Phrase[] {
  const seen = new Map<string, Phrase>();
  for (const { advice, zh, severity } of findings.toSorted(
    (a, b) => severityRank[a.severity] - severityRank[b.severity],
  ))
    if (advice !== '' && severity !== 'info') seen.set(advice, { en: advice, zh: zh.advice });
  return [...seen.values()].slice(0, 6);
}
