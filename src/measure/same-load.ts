import type { Finding, Severity, Summary } from '../core/index.ts';
import type { ComparedRun } from './compare.ts';

/** Mean lengths that differ by more than this are another load. */
const lengthTolerance = 0.05;
/** Shares of failed requests that differ by more than this make latencies incomparable: failures leave the sample. */
const failureTolerance = 0.01;

/** A finding and whose it is: the same doubt at another load differs at most in its numbers. */
export interface LoadFinding {
  finding: Finding;
  about: string;
}

/** Why two runs may not be compared, or only with care: other load, other prompts, other lengths, doubtful figures. */
export function loadFindings(baseline: ComparedRun, candidate: ComparedRun): LoadFinding[] {
  const [a, b] = [baseline.summary, candidate.summary];
  const names = `${baseline.name} / ${candidate.name}`;
  const between: (Finding | null)[] = [
    differs('load-differs', 'invalid', names, { en: 'load', zh: '负载' }, loadWord(a), loadWord(b)),
    differs('stream-differs', 'warn', names, { en: 'streaming', zh: '流式' }, a.load.stream, b.load.stream),
    differs('simulation-differs', 'warn', names, { en: 'reality', zh: '真实性' }, realityOf(a), realityOf(b)),
    differs('model-differs', 'info', names, { en: 'model', zh: '模型' }, a.model, b.model),
    differs(
      'dataset-differs',
      'warn',
      names,
      { en: 'dataset', zh: '数据集' },
      baseline.plan?.dataset.hash ?? null,
      candidate.plan?.dataset.hash ?? null,
    ),
    differs(
      'limit-differs',
      'warn',
      names,
      { en: 'max tokens', zh: '最大 token 数' },
      baseline.plan?.generation.maxTokens,
      candidate.plan?.generation.maxTokens,
    ),
    lengthDiffers('input-length-differs', names, { en: 'input', zh: '输入' }, a.inputTokens?.mean, b.inputTokens?.mean),
    lengthDiffers(
      'output-length-differs',
      names,
      { en: 'output', zh: '输出' },
      a.outputTokens?.mean,
      b.outputTokens?.mean,
    ),
    failuresDiffer(names, a, b),
  ];
  const of = (run: ComparedRun): (Finding | null)[] => [simulated(run), notValid(run), noInterval(run)];
  const found = [
    ...between.map((finding) => ({ finding, about: names })),
    ...[baseline, candidate].flatMap((run) => of(run).map((finding) => ({ finding, about: run.name }))),
  ];
  return found.filter((one): one is LoadFinding => one.finding !== null);
}

/** What a result is of, in a word; null = an import, of which nobody can say. */
function realityOf({ simulated: all, engine, source }: Summary): string | null {
  if (all) return 'simulated';
  if (engine?.simulated === true) return 'simulated engine';
  return source.tool === 'llmdyno' ? 'measured' : null;
}

function simulated({ name, summary }: ComparedRun): Finding | null {
  const all = summary.simulated;
  if (!all && summary.engine?.simulated !== true) return null;
  return {
    code: 'simulated',
    severity: 'info',
    message: all
      ? `${name}: simulated, not a measurement of a real engine.`
      : `${name}: measured on a simulated engine, not on a real one.`,
    evidence: { run: name },
    advice: 'It says what the profile predicts; measure the server before you decide by it.',
    zh: {
      message: all ? `${name}：模拟结果，并非真实引擎的测量值。` : `${name}：在模拟引擎而非真实引擎上测得。`,
      advice: '它反映引擎配置的预测；据此决策前请在服务器上实测。',
    },
  };
}

type Known = string | number | boolean | null | undefined;

function loadWord({ load }: Summary): string | null {
  if (load.concurrency === null && load.ratePerSec === null) return null;
  return `${load.kind ?? ''} ${load.concurrency ?? '-'} ${load.ratePerSec ?? '-'}`;
}

function differs(
  code: string,
  severity: Severity,
  names: string,
  what: { en: string; zh: string },
  a: Known,
  b: Known,
): Finding | null {
  if (a === null || b === null || a === undefined || b === undefined || a === b) return null;
  return {
    code,
    severity,
    message: `${names}: not the same ${what.en} (${a} / ${b}).`,
    evidence: { baseline: a, candidate: b },
    advice: 'A difference may come from this and not from the engine; run both the same way.',
    zh: {
      message: `${names}：${what.zh}不同（${a} / ${b}）。`,
      advice: '差异可能来自此处而非引擎；请以相同方式运行两者。',
    },
  };
}

function lengthDiffers(
  code: string,
  names: string,
  what: { en: string; zh: string },
  a: number | null | undefined,
  b: number | null | undefined,
): Finding | null {
  if (typeof a !== 'number' || typeof b !== 'number' || a <= 0) return null;
  if (Math.abs(b / a - 1) <= lengthTolerance) return null;
  return {
    code,
    severity: 'warn',
    message: `${names}: mean ${what.en} length differs (${a.toFixed(1)} / ${b.toFixed(1)} tokens).`,
    evidence: { baseline: a, candidate: b },
    advice:
      'Latency and requests per second depend on it; compare tokens per second, or fix the lengths (--ignore-eos --max-tokens).',
    zh: {
      message: `${names}：平均${what.zh}长度不同（${a.toFixed(1)} / ${b.toFixed(1)} token）。`,
      advice: '延迟与每秒请求数受其影响；请比较 token/秒，或固定长度（--ignore-eos --max-tokens）。',
    },
  };
}

function failuresDiffer(names: string, a: Summary, b: Summary): Finding | null {
  const share = ({ counts }: Summary): number | null => (counts.issued > 0 ? counts.failed / counts.issued : null);
  const [before, after] = [share(a), share(b)];
  if (before === null || after === null || Math.abs(after - before) <= failureTolerance) return null;
  const shown = `${(before * 100).toFixed(1)} % / ${(after * 100).toFixed(1)} %`;
  return {
    code: 'failures-differ',
    severity: 'warn',
    message: `${names}: the share of failed requests differs (${shown}).`,
    evidence: { baseline: before, candidate: after },
    advice:
      'Failed requests leave the latencies, often the slowest ones: the run that fails more looks faster than it is.',
    zh: {
      message: `${names}：失败率不同（${shown}）。`,
      advice: '失败请求不计入延迟，且往往是最慢的：失败更多的一方会显得更快。',
    },
  };
}

function notValid({ name, summary }: ComparedRun): Finding | null {
  if (summary.verdict.valid) return null;
  const codes = summary.verdict.findings
    .filter(({ severity }) => severity === 'invalid')
    .map(({ code }) => code)
    .join(', ');
  return {
    code: 'not-valid',
    severity: 'invalid',
    message: `${name}: its own audit says that the figures must not be used (${codes}).`,
    evidence: { run: name, codes },
    advice: 'Mend the cause and run it again before comparing.',
    zh: { message: `${name}：其审计结论为数据不可用（${codes}）。`, advice: '请先解决原因并重新运行，再做比较。' },
  };
}

function noInterval({ name, slices, plan }: ComparedRun): Finding | null {
  if (slices !== null) return null;
  const imported = plan === null;
  return {
    code: imported ? 'no-requests' : 'too-short',
    severity: 'info',
    message: imported
      ? `${name}: only its summary is known, so there is no interval and no significance.`
      : `${name}: too short for an interval; it lasted fewer than 6 stretches of 3 mean latencies.`,
    evidence: { run: name },
    advice: imported ? 'Repeat the run with dyno to know how sure a difference is.' : 'Run longer (-n or --duration).',
    zh: {
      message: imported
        ? `${name}：只有汇总数据，无法给出置信区间与显著性。`
        : `${name}：运行过短，无法给出置信区间（不足 6 段、每段 3 倍平均延迟）。`,
      advice: imported ? '用 dyno 重新测试即可知道差异有多可靠。' : '请增加请求数或时长（-n 或 --duration）。',
    },
  };
}
