import type { PointAudit } from '../../results/audit/index.ts';
import { auditPoints } from '../../results/audit/index.ts';
import type { Distribution, Phrase, Summary } from '../../core/index.ts';

/** The figures of one load point that a fit reads; times in ms, null = not known. */
export interface FitPoint {
  concurrency: number;
  /** Requests that ended well. */
  requests: number;
  inputTokens: number;
  outputTokens: number;
  outputTokensPerSec: number;
  latencyMeanMs: number;
  latencyP90Ms: number | null;
  latencyMs: Distribution;
  /** Mean time to the first token; null where tokens were not streamed. */
  ttftMeanMs: number | null;
  /** What had to be assumed or mended, in words. */
  remarks: Phrase[];
}

/** A point that is left out, and why. */
export interface ExcludedPoint {
  concurrency: number | null;
  why: Phrase;
}

/** The points of a sweep that may be fitted, lowest concurrency first, and those that may not. */
export interface UsablePoints {
  points: FitPoint[];
  excluded: ExcludedPoint[];
}

/** What a log that does not say it is taken to have had. */
const assumedRequests = 1000;
const assumedInputTokens = 50;
/** Share of failed requests from which on a point is left out. */
const tooManyFailed = 0.05;
/** First tokens later than this share of the latency came with the last. */
const streamedRatio = 0.98;

/** Reads a sweep through the audit: clean points as they are, repairable ones with the repaired figures, unusable ones not at all. */
export function usablePoints(summaries: readonly Summary[]): UsablePoints {
  const audits = auditPoints(summaries).points;
  const excluded: ExcludedPoint[] = [];
  const points: FitPoint[] = [];
  summaries.forEach((summary, i) => {
    const read = readPoint(summary, audits[i]!);
    if ('why' in read) excluded.push({ concurrency: summary.load.concurrency, why: read.why });
    else if (points.some((point) => point.concurrency === read.concurrency)) {
      excluded.push({
        concurrency: read.concurrency,
        why: {
          en: 'measured twice at this concurrency; the first is used. Runs of several lengths are fitted together from their requests: vllm bench serve --save-detailed, or dyno run',
          zh: '同一并发重复测量，使用第一次的结果。多种长度的运行需由逐请求记录一起拟合：vllm bench serve --save-detailed，或 dyno run',
        },
      });
    } else points.push(read);
  });
  return { points: points.toSorted((a, b) => a.concurrency - b.concurrency), excluded };
}

function readPoint(summary: Summary, audit: PointAudit): FitPoint | { why: Phrase } {
  const { concurrency } = summary.load;
  if (audit.status === 'unusable') return { why: reasonOf(audit) };
  if (summary.load.kind === 'open' || concurrency === null) {
    return { why: { en: 'not a closed loop with a known concurrency', zh: '不是已知并发的闭环测试' } };
  }
  const { ok, failed } = summary.counts as { ok: number | null; failed: number | null };
  if (ok && failed && failed >= tooManyFailed * (failed + ok)) {
    return {
      why: {
        en: `${failed} of ${failed + ok} requests failed: what is left is not the load on the label`,
        zh: `${failed + ok} 个请求中 ${failed} 个失败：其余请求不代表标注的负载`,
      },
    };
  }
  const tokensPerSec = audit.repaired?.outputTokensPerSec ?? summary.outputTokensPerSec;
  const { latencyMs } = summary;
  if (tokensPerSec === null || tokensPerSec <= 0 || latencyMs?.mean == null) {
    return { why: { en: 'throughput or mean latency is not known', zh: '缺少吞吐或平均延迟' } };
  }
  const requestsPerSec = audit.repaired?.requestsPerSec ?? summary.requestsPerSec;
  const outputTokens = summary.outputTokens?.mean ?? (requestsPerSec ? tokensPerSec / requestsPerSec : null);
  if (outputTokens === null || outputTokens < 1) {
    return { why: { en: 'output tokens per request are not known', zh: '缺少每请求的输出 token 数' } };
  }
  const counted: number | null = summary.counts.ok;
  return {
    concurrency,
    requests: counted || assumedRequests,
    inputTokens: Math.max(1, Math.round(summary.inputTokens?.mean ?? assumedInputTokens)),
    outputTokens,
    outputTokensPerSec: tokensPerSec,
    latencyMeanMs: latencyMs.mean,
    latencyP90Ms: latencyMs.p90,
    latencyMs,
    ttftMeanMs: streamedTtft(summary.ttftMs?.mean ?? null, latencyMs.mean),
    remarks: remarksOf(summary, audit, counted),
  };
}

/** A first token that comes with the last was not streamed: it tells nothing of its own. */
function streamedTtft(ttftMs: number | null, latencyMs: number): number | null {
  return ttftMs !== null && ttftMs > 0 && ttftMs < streamedRatio * latencyMs ? ttftMs : null;
}

function remarksOf(summary: Summary, audit: PointAudit, counted: number | null): Phrase[] {
  const remarks: Phrase[] = [];
  if (audit.repaired !== null) {
    remarks.push({ en: 'repaired by the audit: throughput', zh: '吞吐由审计修正' });
  }
  if (!counted) {
    remarks.push({ en: `requests not told, ${assumedRequests} assumed`, zh: `未说明请求数，按 ${assumedRequests} 计` });
  }
  if ((summary.inputTokens?.mean ?? null) === null) {
    remarks.push({
      en: `input tokens not told, ${assumedInputTokens} assumed`,
      zh: `未说明输入 token 数，按 ${assumedInputTokens} 计`,
    });
  }
  return remarks;
}

function reasonOf(audit: PointAudit): Phrase {
  const grave = audit.findings.filter((finding) => finding.severity === 'invalid');
  return {
    en: grave.map((finding) => `${finding.code}: ${finding.message}`).join('; '),
    zh: grave.map((finding) => `${finding.code}：${finding.zh.message}`).join('；'),
  };
}
