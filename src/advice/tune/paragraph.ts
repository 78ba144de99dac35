import { printable } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import { axisTitle, figureInWords } from '../../results/report/index.ts';
import type { StopReason } from './next-step.ts';
import type { Settings, TrialLoad } from './setting.ts';
import type { TuneDocument } from './tune-document.ts';
import type { TrialOutcome } from './trial.ts';

/** Why a search ended, in words. */
export const stopWords: Readonly<Record<StopReason, Phrase>> = {
  confirmed: { en: 'the winner was confirmed with fresh runs', zh: '最优设置已用新的运行确认' },
  'nothing-better-expected': { en: 'nothing better than 1 % is to be expected', zh: '预计不会再有超过 1 % 的改进' },
  'budget-spent': { en: 'the budget of runs is spent', zh: '运行次数预算已用完' },
  'time-spent': { en: 'the budget of hours is spent', zh: '时间预算已用完' },
  'nothing-feasible': { en: 'nothing in the space keeps the SLOs', zh: '空间内没有满足 SLO 的设置' },
  'nothing-works': {
    en: 'the server did not work with any of the settings tried',
    zh: '所尝试的设置下服务器均无法工作',
  },
  'all-tried': { en: 'everything in the space was tried', zh: '空间内的设置已全部尝试' },
  'variants-done': { en: 'every variant was run', zh: '所有方案均已运行' },
  interrupted: { en: 'it was interrupted', zh: '被中断' },
};

/** Outcomes in words. */
export const outcomeWords: Readonly<Record<TrialOutcome, Phrase>> = {
  ok: { en: 'ok', zh: '正常' },
  crashed: { en: 'crashed', zh: '崩溃' },
  oom: { en: 'out of memory', zh: '显存不足' },
  'not-ready': { en: 'never ready', zh: '未就绪' },
  'lying-ready': { en: 'said ready, did not answer', zh: '声称就绪但不应答' },
  timeout: { en: 'timed out', zh: '超时' },
  'stopped-answering': { en: 'stopped answering', zh: '停止应答' },
  'not-applied': { en: 'settings not applied', zh: '设置未生效' },
  error: { en: 'error', zh: '错误' },
  interrupted: { en: 'interrupted', zh: '被中断' },
};

/** Settings and load on one line. */
export function pointWords(settings: Settings, load: TrialLoad): string {
  const parts = Object.entries(settings).map(([name, value]) => `${name}=${String(value)}`);
  if (load.concurrency !== null) parts.push(`concurrency=${load.concurrency}`);
  if (load.ratePerSec !== null) parts.push(`rate=${round(load.ratePerSec)}/s`);
  return printable(parts.join(' '));
}

/** What one point has otherwise than another. */
function differing(
  than: { settings: Settings; load: TrialLoad },
  { settings, load }: { settings: Settings; load: TrialLoad },
): [Settings, TrialLoad] {
  const other = Object.entries(settings).filter(([name, value]) => than.settings[name] !== value);
  return [
    Object.fromEntries(other),
    {
      concurrency: load.concurrency === than.load.concurrency ? null : load.concurrency,
      ratePerSec: load.ratePerSec === than.load.ratePerSec ? null : load.ratePerSec,
    },
  ];
}

/** A number with four digits. */
export function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** The whole answer as a paragraph. */
export function paragraphOf(tune: Omit<TuneDocument, 'words'>): Phrase {
  if (tune.variants.length > 0) return variantParagraph(tune);
  const { best, objective } = tune;
  const why = tune.stoppedBecause === null ? null : stopWords[tune.stoppedBecause];
  const spent: Phrase = {
    en: `${tune.runs} runs, ${tune.restarts} restarts${why === null ? '' : `; ended because ${why.en}`}.`,
    zh: `共 ${tune.runs} 次运行、${tune.restarts} 次重启${why === null ? '' : `；结束原因：${why.zh}`}。`,
  };
  if (best === null) {
    return {
      en: `No run ended well, so there is nothing to recommend. ${spent.en}`,
      zh: `没有成功的运行，无法给出建议。${spent.zh}`,
    };
  }
  const what = pointWords(best.settings, best.load);
  const figure = figureInWords(objective.metric, best.objective.mean);
  const range = best.objective.interval === null ? '' : ` (${best.objective.interval.map(round).join('–')})`;
  const sure: Phrase = best.confirmed
    ? tune.slos.length === 0
      ? { en: 'confirmed with fresh runs', zh: '已用新的运行确认' }
      : { en: 'confirmed: every SLO is kept at the 90 % bound', zh: '已确认：各 SLO 在 90 % 置信界下均满足' }
    : best.feasible === false
      ? { en: 'NOT good enough: it breaks an SLO; nothing better was found', zh: '不达标：违反 SLO；未找到更好的设置' }
      : { en: 'not confirmed', zh: '未确认' };
  const parts: Phrase[] = [
    {
      en: `Best: ${what}: ${figure.en}${range}, ${sure.en}.`,
      zh: `最优设置：${what}；${figure.zh}${range}，${sure.zh}。`,
    },
  ];
  const { binding, runnerUp } = tune;
  if (!tune.loadAsked) {
    parts.push({
      en: 'Under the load that the file asks for nothing kept the limits: what is above the batch only waits, so that these settings are under less of it. Leave `load:` out, or let it follow the batch, to search both.',
      zh: '在文件指定的负载下没有设置满足约束：超出批大小的请求只会排队，因此以上设置对应较小的负载。删去 `load:` 或令其随批大小变化，即可同时搜索。',
    });
  }
  for (const { setting, value, from, to, side, next } of tune.rangeEnds) {
    const end = side === 'high' ? 'to' : 'from';
    const [fromText, toText] = [
      side === 'low' && next !== null ? next : from,
      side === 'high' && next !== null ? next : to,
    ];
    const wider = `${setting}: {from: ${fromText}, to: ${toText}, start: ${value}}`;
    parts.push({
      en: `${printable(setting)} ${value} lies at the end of its range (${from} to ${to}), so that better may lie beyond it: ${next === null ? `widen \`${end}\` if the server allows it` : `write ${printable(wider)}`} and run again.`,
      zh: `${printable(setting)} ${value} 位于取值范围（${from} 到 ${to}）的边缘，范围之外可能更好：${next === null ? `若服务器允许，请放宽 \`${end}\`` : `请写 ${printable(wider)}`} 后再运行。`,
    });
  }
  if (tune.equal.length > 0) {
    const list = tune.equal.slice(0, 4).map((other) => {
      const shown = pointWords(...differing(best, other));
      return `${shown} (${other.mean === null ? '–' : round(other.mean)})`;
    });
    parts.push({
      en: `Equal to it within what runs differ by: ${list.join(', ')}.`,
      zh: `在运行间差异范围内与之相当：${list.join('、')}。`,
    });
  }
  if (binding !== null && best.feasible !== false) {
    const gain = (100 * binding.relaxed.gainRatio).toFixed(1);
    const at = binding.bound ?? binding.value;
    parts.push({
      en: `The tightest limit is ${binding.slo}${at === null ? '' : ` (at ${round(at)} of ${round(binding.limit)})`}; 10 % more room there is expected to give ${gain} % more.`,
      zh: `约束最紧的是 ${binding.slo}${at === null ? '' : `（${round(at)}，限值 ${round(binding.limit)}）`}；放宽 10 % 预计可再提升 ${gain} %。`,
    });
  }
  if (tune.equal.length === 0 && runnerUp !== null && runnerUp.objective.mean !== null) {
    const shown = pointWords(runnerUp.settings, runnerUp.load);
    parts.push({
      en: `Runner-up: ${shown}: ${round(runnerUp.objective.mean)}${runnerUp.feasible === false ? ' (breaks an SLO)' : ''}.`,
      zh: `次优：${shown}；${round(runnerUp.objective.mean)}${runnerUp.feasible === false ? '（违反 SLO）' : ''}。`,
    });
  }
  const open = best.standings.find(({ unproven }) => unproven);
  if (open !== undefined) {
    const { failed, issued } = open.failures!;
    parts.push({
      en: `${failed} of ${issued} requests failed: too few requests to prove ${open.slo} kept or broken.`,
      zh: `${issued} 个请求中失败 ${failed} 个：请求数不足以证明 ${open.slo} 已达标或未达标。`,
    });
  }
  const doubtful = tune.trials.filter(({ number, valid }) => !valid && best.trials.includes(number));
  if (doubtful.length > 0) {
    const list = doubtful.map(({ number }) => number);
    parts.push({
      en: `Trials ${list.join(', ')} behind it are not valid: ${printable(doubtful[0]!.cause ?? '')}; look at them before you use it.`,
      zh: `其中第 ${list.join('、')} 次试验无效（${printable(doubtful[0]!.cause ?? '')}），使用前请核对。`,
    });
  }
  parts.push(spent);
  return { en: parts.map(({ en }) => en).join(' '), zh: parts.map(({ zh }) => zh).join('') };
}

/** Verdicts on arms, in words. */
export const verdictWords = {
  baseline: { en: 'baseline', zh: '基线' },
  better: { en: 'better', zh: '更好' },
  worse: { en: 'worse', zh: '更差' },
  'no-difference': { en: 'no difference shown', zh: '无明显差异' },
  'failures-differ': { en: 'no verdict: failures differ', zh: '不作判断：失败率不同' },
  'too-few': { en: 'no verdict: too few good runs', zh: '不作判断：有效运行过少' },
} as const satisfies Record<TuneDocument['variants'][number]['verdict'], Phrase>;

function variantParagraph({ variants, objective, runs }: Omit<TuneDocument, 'words'>): Phrase {
  const [base, ...others] = variants;
  const lines = others.map(({ name, changeRatio, changeInterval, verdict }) => {
    const change = changeRatio === null ? '' : ` ${(100 * changeRatio).toFixed(1)} %`;
    const range =
      changeInterval === null ? '' : ` (${changeInterval.map((value) => (100 * value).toFixed(1)).join(' … ')} %)`;
    return { name: printable(name), tail: `${change}${range}`, verdict: verdictWords[verdict] };
  });
  return {
    en: `${axisTitle(objective.metric).en} against ${printable(base?.name ?? '')}: ${lines.map(({ name, tail, verdict }) => `${name}${tail}, ${verdict.en}`).join('; ')}. ${runs} runs in shuffled order.`,
    zh: `以 ${printable(base?.name ?? '')} 为基线的${axisTitle(objective.metric).zh}：${lines.map(({ name, tail, verdict }) => `${name}${tail}，${verdict.zh}`).join('；')}。共 ${runs} 次运行，顺序随机。`,
  };
}
