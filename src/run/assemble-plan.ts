import { exitCodes, hiddenValue, UserError } from '../core/index.ts';
import type { DatasetFacts, LoadShape, Mistake, RunPlan, Target } from '../core/index.ts';
import { parseSlo } from '../measure/index.ts';
import type { planWords } from './words/plan-words.ts';
import type { Words } from './words/read-words.ts';

/** The settings of a run as read; what was not given is absent. */
export type PlanWords = Words<typeof planWords>;

/** One load point of a plan: a concurrency, a rate, or both. */
export interface LoadPoint {
  concurrency: number | null;
  ratePerSec: number | null;
}

/** Values kept out of the plan, by header name. */
export interface SplitHeaders {
  /** As they stand in plan.json. */
  shown: Record<string, string>;
  secrets: Record<string, string>;
}

const defaults = {
  requests: 100,
  connectMs: 10_000,
  readMs: 300_000,
  totalMs: 3_600_000,
  seed: 1,
} as const;

/** Everything about the settings that can be wrong before anything is opened or asked. */
export function checkWords(words: PlanWords): Mistake[] {
  const mistakes: Mistake[] = [];
  const wrong = (flag: string, en: string, zh: string, hintEn: string, hintZh: string): void => {
    mistakes.push({
      code: 'settings-disagree',
      message: { en, zh },
      hint: { en: hintEn, zh: hintZh },
      place: { flag },
    });
  };
  if (words.arrival !== undefined && words.rate === undefined) {
    wrong(
      '--arrival',
      'has no meaning without --rate',
      '没有 --rate 时无意义',
      'Add --rate PER_SEC, or leave --arrival out.',
      '请加上 --rate，或去掉 --arrival。',
    );
  }
  if (words.dropLate === true && (words.rate === undefined || words.concurrency === undefined)) {
    wrong(
      '--drop-late',
      'needs --rate and --concurrency',
      '需要同时给出 --rate 和 --concurrency',
      'Give the cap with --concurrency, or leave --drop-late out.',
      '请用 --concurrency 给出上限，或去掉 --drop-late。',
    );
  }
  if (words.ignoreEos === true && words.maxTokens === undefined) {
    wrong(
      '--ignore-eos',
      'would generate for ever without --max-tokens',
      '没有 --max-tokens 时会无限生成',
      'Add --max-tokens COUNT.',
      '请加上 --max-tokens。',
    );
  }
  if (words.minTokens !== undefined && words.maxTokens !== undefined && words.minTokens > words.maxTokens) {
    wrong(
      '--min-tokens',
      `${words.minTokens} is above --max-tokens ${words.maxTokens}`,
      `${words.minTokens} 大于 --max-tokens ${words.maxTokens}`,
      'Lower the one or raise the other.',
      '请调整其中之一。',
    );
  }
  for (const rule of words.slo ?? []) {
    try {
      parseSlo(rule);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      mistakes.push(...error.mistakes.map((mistake) => ({ ...mistake, place: { flag: '--slo' } })));
    }
  }
  return mistakes;
}

/** The points that the settings ask for: every concurrency, or every rate (with at most one cap). */
export function loadPoints(words: PlanWords): LoadPoint[] {
  const { rate, concurrency } = words;
  if (rate !== undefined) return rate.map((ratePerSec) => ({ ratePerSec, concurrency: concurrency?.[0] ?? null }));
  return (concurrency ?? [1]).map((count) => ({ ratePerSec: null, concurrency: count }));
}

/** Splits headers into what plan.json may show and what it must not; `env:NAME` is looked up in `env`. */
export function splitHeaders(words: PlanWords, env: Readonly<Record<string, string | undefined>>): SplitHeaders {
  const shown: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const missing: Mistake[] = [];
  const fromEnv = (name: string, flag: string): string => {
    const value = env[name];
    if (value === undefined || value === '') missing.push(missingVariable(name, flag));
    return value ?? '';
  };
  for (const { name, value } of words.header ?? []) {
    const variable = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
    const secret = variable !== undefined || /auth|key|token|secret|cookie|password|session/i.test(name);
    shown[name] = secret ? hiddenValue : value;
    if (secret) secrets[name] = variable === undefined ? value : fromEnv(variable, '--header');
  }
  if (words.keyEnv !== undefined) secrets['authorization'] = `Bearer ${fromEnv(words.keyEnv, '--key-env')}`;
  if (missing.length > 0) throw new UserError(missing, exitCodes.usage);
  return { shown, secrets };
}

/** The frozen plan of one load point. */
export function assemblePlan(parts: {
  words: PlanWords;
  target: Pick<Target, 'url' | 'api' | 'model' | 'headers'>;
  dataset: DatasetFacts;
  point: LoadPoint;
  label: string | null;
}): RunPlan {
  const { words, target, dataset, point, label } = parts;
  const plan: RunPlan = {
    label,
    target: { ...target, keyEnv: words.keyEnv ?? null, insecure: words.insecure ?? false },
    dataset,
    generation: {
      stream: words.noStream !== true,
      maxTokens: words.maxTokens ?? null,
      minTokens: words.minTokens ?? null,
      temperature: words.temperature ?? null,
      ignoreEos: words.ignoreEos ?? false,
      stop: words.stop ?? [],
      body: words.body ?? {},
    },
    load: loadShape(words, point),
    requests: requestsOf(words),
    durationMs: words.duration ?? null,
    warmup: words.warmup ?? null,
    timeouts: {
      connectMs: words.connectTimeout ?? defaults.connectMs,
      ttftMs: words.ttftTimeout ?? null,
      readMs: words.readTimeout ?? defaults.readMs,
      totalMs: words.timeout ?? defaults.totalMs,
    },
    seed: words.seed ?? defaults.seed,
    slo: words.slo ?? [],
    keepText: words.noText !== true,
  };
  return deepFreeze(plan);
}

/** Measured requests: the count given; with a duration alone, as many as come due; else the default. */
export function requestsOf(words: PlanWords): number | null {
  return words.requests ?? (words.duration === undefined ? defaults.requests : null);
}

function loadShape(words: PlanWords, point: LoadPoint): LoadShape {
  const open = point.ratePerSec !== null;
  return {
    kind: open ? 'open' : 'closed',
    concurrency: point.concurrency,
    ratePerSec: point.ratePerSec,
    arrival: { process: open ? (words.arrival ?? 'poisson') : 'closed' },
    dropLate: words.dropLate ?? false,
  };
}

function missingVariable(name: string, flag: string): Mistake {
  return {
    code: 'missing-variable',
    message: { en: `environment variable ${name} is not set`, zh: `环境变量 ${name} 未设置` },
    hint: { en: `Set it first: export ${name}=…`, zh: `请先设置：export ${name}=…` },
    place: { flag },
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
