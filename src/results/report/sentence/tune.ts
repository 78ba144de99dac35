import { printable } from '../../../core/index.ts';
import type { Phrase } from '../../../core/index.ts';
import { signedPercent } from './compare.ts';
import { figureInWords } from './trend.ts';

type Values = Readonly<Record<string, number | boolean | string>>;
interface Load {
  concurrency: number | null;
  ratePerSec: number | null;
}

/** What the answer of a search over server settings is told from; `dyno tune --json` has it. */
export interface TuneTold {
  running: boolean;
  objective: { metric: string; direction: 'most' | 'least' };
  slos: readonly string[];
  best: {
    settings: Values;
    load: Load;
    confirmed: boolean;
    feasible: boolean | null;
    objective: { mean: number | null; interval: readonly [number, number] | null };
  } | null;
  trials: readonly { settings: Values; load: Load; objective: number | null; feasible: boolean | null }[];
  patch: {
    files: readonly { file: string; set: Values }[];
    command: string | null;
    env: Readonly<Record<string, string>>;
  };
  variants: readonly {
    name: string;
    mean: number | null;
    changeRatio: number | null;
    changeInterval: readonly [number, number] | null;
    verdict: string;
  }[];
}

/** What a search amounts to. */
export interface TuneAnswer {
  tone: 'good' | 'warn' | 'bad';
  /** The limits, the winner's figure, how sure it is, and how much better than where the search began. */
  says: Phrase;
  /** Settings that are otherwise than where it began; null = there is no winner. */
  change: Phrase | null;
  /** What to write where, line by line; none = nobody said how the server gets its settings. */
  apply: string[];
}

/** The answer of a tune as the terminal and the page begin with it. */
export function tuneInWords(tune: TuneTold): TuneAnswer {
  if (tune.variants.length > 0) return { ...variantsInWords(tune), change: null, apply: [] };
  const { best, objective, slos, trials } = tune;
  const within = slos.map((slo) => printable(slo.replace(/\s*(<=|>=|<|>)\s*/, ' $1 ').trim()));
  const limits: Phrase = { en: within.join(' and '), zh: within.join(' 且 ') };
  if (best === null) {
    const says: Phrase = tune.running
      ? { en: 'Nothing kept the SLOs yet.', zh: '尚无满足 SLO 的配置。' }
      : { en: 'No run ended well, so there is nothing to recommend.', zh: '没有成功的运行，无法给出建议。' };
    return { tone: tune.running ? 'warn' : 'bad', says, change: null, apply: [] };
  }
  const { mean, interval } = best.objective;
  const figure = figureInWords(objective.metric, mean);
  const range =
    interval === null ? '' : ` [${interval.map((end) => figureInWords(objective.metric, end).bare).join(', ')}]`;
  const broken = best.feasible === false;
  const sure: Phrase = broken
    ? { en: 'NOT good enough: it breaks an SLO', zh: '不达标：违反 SLO' }
    : best.confirmed
      ? { en: 'confirmed by fresh runs', zh: '已由新的运行确认' }
      : { en: 'best so far, NOT confirmed', zh: '当前最优，未确认' };
  const head: Phrase = broken
    ? { en: `Nothing keeps ${limits.en}; nearest: `, zh: `没有配置满足 ${limits.zh}；最接近的：` }
    : within.length > 0
      ? { en: `Within ${limits.en}: `, zh: `满足 ${limits.zh}：` }
      : objective.direction === 'most'
        ? { en: 'Most: ', zh: '最高：' }
        : { en: 'Least: ', zh: '最低：' };
  const began = trials[0];
  const gain = gainOver(began, best, objective.metric);
  return {
    tone: broken ? 'bad' : best.confirmed ? 'good' : 'warn',
    says: {
      en: `${head.en}${figure.en}${range}, ${sure.en}${gain === null ? '' : `; ${gain.en}`}.`,
      zh: `${head.zh}${figure.zh}${range}，${sure.zh}${gain === null ? '' : `；${gain.zh}`}。`,
    },
    change: changeInWords(began, best),
    apply: applyLines(tune.patch),
  };
}

type Point = Pick<NonNullable<TuneTold['best']>, 'settings' | 'load'>;

/** How the winner stands to the first trial, which is where the search began; null = that has no figure, or is the winner. */
function gainOver(
  began: TuneTold['trials'][number] | undefined,
  best: NonNullable<TuneTold['best']>,
  metric: string,
): Phrase | null {
  const { mean } = best.objective;
  if (began === undefined || began.objective === null || began.objective === 0 || mean === null) return null;
  if (differences(began, best).length === 0) return null;
  const change = signedPercent(mean / began.objective - 1);
  const first = figureInWords(metric, began.objective);
  const broke: Phrase =
    began.feasible === false ? { en: ', which broke an SLO', zh: '，其未满足 SLO' } : { en: '', zh: '' };
  return {
    en: `${change} against the first trial (${first.en}${broke.en})`,
    zh: `较首次试验 ${change}（首次 ${first.zh}${broke.zh}）`,
  };
}

function differences(began: Point, best: Point): string[] {
  return Object.entries(named(best)).flatMap(([name, value]) => {
    const before = named(began)[name];
    return before === value ? [] : [`${name} ${before === undefined ? '' : `${before} → `}${value}`];
  });
}

function changeInWords(began: Point | undefined, best: Point): Phrase {
  const changes =
    began === undefined ? Object.entries(named(best)).map((pair) => pair.join(' ')) : differences(began, best);
  if (changes.length === 0) return { en: 'Change nothing: it began there.', zh: '无需改动：起始配置即最优。' };
  const list = printable(changes.join(', '));
  return { en: `Change: ${list}.`, zh: `改动：${list}。` };
}

function named({ settings, load }: Point): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
    ...(load.concurrency !== null && { concurrency: String(load.concurrency) }),
    ...(load.ratePerSec !== null && { rate: `${Number(load.ratePerSec.toPrecision(4))}/s` }),
  };
}

function applyLines({ files, env, command }: TuneTold['patch']): string[] {
  return [
    ...files.flatMap(({ file, set }) => [
      `${printable(file)}:`,
      ...Object.entries(set).map(([path, value]) => `  ${printable(path)} = ${printable(JSON.stringify(value))}`),
    ]),
    ...Object.entries(env).map(([name, value]) => `${printable(name)}=${printable(value)}`),
    ...(command === null ? [] : [printable(command)]),
  ];
}

function variantsInWords({ variants, objective }: TuneTold): Pick<TuneAnswer, 'tone' | 'says'> {
  const sign = objective.direction === 'most' ? -1 : 1;
  const base = printable(variants[0]!.name);
  const better = variants
    .filter(({ verdict }) => verdict === 'better')
    .toSorted((a, b) => sign * ((a.mean ?? 0) - (b.mean ?? 0)))[0];
  if (better === undefined) {
    return {
      tone: 'warn',
      says: { en: `No variant is surely better than ${base}.`, zh: `没有方案确定优于 ${base}。` },
    };
  }
  const { name, mean, changeRatio, changeInterval } = better;
  const figure = figureInWords(objective.metric, mean);
  const range = changeInterval === null ? '' : ` (${changeInterval.map(signedPercent).join(' … ')})`;
  return {
    tone: 'good',
    says: {
      en: `Best: ${printable(name)}, ${figure.en}; ${signedPercent(changeRatio)}${range} against ${base}, certain at 99 %.`,
      zh: `最优：${printable(name)}，${figure.zh}；较 ${base} ${signedPercent(changeRatio)}${range}，99 % 确定。`,
    },
  };
}
