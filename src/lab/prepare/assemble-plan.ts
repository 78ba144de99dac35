import { defined, hiddenValue, isSecretName, mistake, UserError } from '../../core/index.ts';
import type { Arrival, DatasetFacts, LoadShape, Mistake, RunPlan, Target, Warmup } from '../../core/index.ts';
import type { planSettings } from '../settings/plan-settings.ts';
import type { SettingsOf } from '../settings/read-vocabulary.ts';

/** The settings of a run as read; what was not given is absent. */
export type PlanSettings = SettingsOf<typeof planSettings>;

/** One load point of a plan: a concurrency, a rate, or both. */
export interface LoadPoint {
  concurrency: number | null;
  ratePerSec: number | null;
}

/** When asks come due where a trace or a shape says so. */
export type Timing = Pick<LoadShape, 'ratePerSec' | 'arrival' | 'shape'>;

/** Datasets that are lengths: what they say is kept. */
const lengthKinds: ReadonlySet<string> = new Set(['mooncake', 'azure', 'burstgpt', 'synthetic']);

/** Values kept out of the plan, by header name. */
export interface SplitHeaders {
  /** As they stand in plan.json. */
  shown: Record<string, string>;
  secrets: Record<string, string>;
}

const defaults = {
  connectMs: 10_000,
  readMs: 300_000,
  totalMs: 3_600_000,
  seed: 1,
} as const;

/** Everything about the settings that can be wrong before anything is opened or asked. */
export function checkSettings(settings: PlanSettings): Mistake[] {
  const mistakes: Mistake[] = [];
  const wrong = (flag: string, en: string, zh: string, hintEn: string, hintZh: string): void => {
    mistakes.push(mistake('settings-disagree', en, zh, hintEn, hintZh, flag));
  };
  const ownTimes = settings.arrival?.process === 'trace';
  const ownRates = settings.ramp !== undefined && 'shape' in settings.ramp;
  if (settings.arrival !== undefined && settings.rate === undefined && !ownTimes && !ownRates) {
    wrong(
      '--arrival',
      'has no meaning without --rate',
      '没有 --rate 时无意义',
      'Add --rate PER_SEC, or leave --arrival out.',
      '请加上 --rate，或去掉 --arrival。',
    );
  }
  if (settings.ramp !== undefined && settings.rate === undefined && settings.concurrency === undefined && !ownRates) {
    wrong(
      '--ramp',
      'a rise needs a rate or a concurrency to rise to',
      '需要 --rate 或 --concurrency 给出要升到的值',
      'Add --rate PER_SEC or --concurrency COUNT, or write the whole shape: --ramp linear(1,20,60s).',
      '请加上 --rate 或 --concurrency，或写出完整形状：--ramp linear(1,20,60s)。',
    );
  }
  if (settings.sessions === true && (ownTimes || (settings.rate === undefined && !ownRates))) {
    wrong(
      '--sessions',
      ownTimes ? 'a trace says when requests come due, not conversations' : 'needs a rate at which conversations begin',
      ownTimes ? '轨迹给出的是请求时间，而非会话' : '需要给出会话开始的速率',
      'Give --rate PER_SEC or a whole --ramp; in a closed loop every slot holds one conversation after the other anyway.',
      '请给出 --rate 或完整的 --ramp；闭环时每个并发位本来就依次进行会话。',
    );
  }
  if (settings.rate !== undefined && (ownTimes || ownRates)) {
    wrong(
      '--rate',
      `says nothing beside ${ownTimes ? 'the times of a trace' : 'a shape with its own rates'}`,
      ownTimes ? '与轨迹自带时间冲突' : '与自带速率的形状冲突',
      ownTimes ? 'Leave it out; --speed 2 replays twice as fast.' : 'Leave --rate out.',
      ownTimes ? '请去掉 --rate；--speed 2 可加速回放。' : '请去掉 --rate。',
    );
  }
  if (settings.ramp !== undefined && ownTimes) {
    wrong('--ramp', 'a trace has its own times', '轨迹自带时间', 'Leave --ramp out.', '请去掉 --ramp。');
  }
  if (
    settings.dropLate === true &&
    ((settings.rate === undefined && !ownTimes && !ownRates) || settings.concurrency === undefined)
  ) {
    wrong(
      '--drop-late',
      'needs --rate and --concurrency',
      '需要同时给出 --rate 和 --concurrency',
      'Give the cap with --concurrency, or leave --drop-late out.',
      '请用 --concurrency 给出上限，或去掉 --drop-late。',
    );
  }
  if (settings.ignoreEos === true && settings.maxTokens === undefined && settings.outputTokens === undefined) {
    wrong(
      '--ignore-eos',
      'would generate for ever without --max-tokens',
      '没有 --max-tokens 时会无限生成',
      'Add --max-tokens COUNT.',
      '请加上 --max-tokens。',
    );
  }
  if (settings.minTokens !== undefined && settings.maxTokens !== undefined && settings.minTokens > settings.maxTokens) {
    wrong(
      '--min-tokens',
      `${settings.minTokens} is above --max-tokens ${settings.maxTokens}`,
      `${settings.minTokens} 大于 --max-tokens ${settings.maxTokens}`,
      'Lower the one or raise the other.',
      '请调整其中之一。',
    );
  }
  if ((settings.cert === undefined) !== (settings.certKey === undefined)) {
    wrong(
      settings.cert === undefined ? '--cert-key' : '--cert',
      'a certificate and its key go together',
      '证书与私钥需同时给出',
      'Give both --cert and --cert-key, or neither.',
      '请同时给出 --cert 和 --cert-key，或都不给。',
    );
  }
  if (settings.stopWhen?.some((rule) => rule.trim() === 'slo-lost') === true && settings.slo === undefined) {
    wrong('--stop-when', 'slo-lost needs a goal', 'slo-lost 需要目标', 'Add --slo GOAL.', '请加上 --slo。');
  }
  return mistakes;
}

/** The points that the settings ask for: every concurrency, or every rate (with at most one cap). */
export function loadPoints(settings: PlanSettings): LoadPoint[] {
  const { rate, concurrency } = settings;
  if (rate !== undefined) return rate.map((ratePerSec) => ({ ratePerSec, concurrency: concurrency?.[0] ?? null }));
  const open = settings.arrival?.process === 'trace' || (settings.ramp !== undefined && 'shape' in settings.ramp);
  if (open) return (concurrency ?? [null]).map((count) => ({ ratePerSec: null, concurrency: count }));
  return (concurrency ?? [1]).map((count) => ({ ratePerSec: null, concurrency: count }));
}

/** Whether a header may hold a secret: by its name or the look of its value, or because that comes from the environment. */
export function isSecretHeader({ name, value }: { name: string; value: string }): boolean {
  return variableOf(value) !== undefined || isSecretName(name) || /^(?:bearer|basic)\s/i.test(value.trim());
}

/** The environment variable that `env:NAME` names. */
export function variableOf(value: string): string | undefined {
  return /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
}

/** Splits headers into what plan.json may show and what it must not; `env:NAME` is looked up in `env`. */
export function splitHeaders(settings: PlanSettings, env: Readonly<Record<string, string | undefined>>): SplitHeaders {
  const shown: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const missing: Mistake[] = [];
  const fromEnv = (name: string, flag: string): string => {
    const value = env[name];
    if (value === undefined || value === '')
      missing.push(
        mistake(
          'missing-variable',
          'names an environment variable that is not set',
          '所指的环境变量未设置',
          'Give the name of a variable, not the key itself, and set it first: export NAME=…',
          '请给出环境变量的名称而非密钥本身，并先设置：export NAME=…',
          flag,
        ),
      );
    return value ?? '';
  };
  for (const { name, value } of settings.header ?? []) {
    const variable = variableOf(value);
    const secret = isSecretHeader({ name, value });
    shown[name] = secret ? hiddenValue : value;
    if (secret) secrets[name] = variable === undefined ? value : fromEnv(variable, '--header');
  }
  if (settings.keyEnv !== undefined) secrets['authorization'] = `Bearer ${fromEnv(settings.keyEnv, '--key-env')}`;
  if (missing.length > 0) throw new UserError(missing);
  return { shown, secrets };
}

/** The frozen plan of one load point. */
export function assemblePlan(parts: {
  settings: PlanSettings;
  target: Pick<Target, 'url' | 'api' | 'model' | 'headers' | 'wire' | 'server'>;
  dataset: DatasetFacts;
  point: LoadPoint;
  label: string | null;
  /** Measured requests; null = as many as come due. */
  requests: number | null;
  /** Where times or rates are the trace's or the shape's own: when asks come due. */
  timing?: Timing | null;
}): RunPlan {
  const { settings, target, dataset, point, label, requests, timing = null } = parts;
  const lengths = { input: settings.inputTokens ?? null, output: settings.outputTokens ?? null };
  const plan: RunPlan = {
    label,
    target: {
      ...target,
      keyEnv: settings.keyEnv ?? null,
      insecure: settings.insecure ?? false,
      ...reachFor(settings, target.url),
    },
    dataset,
    generation: {
      stream: settings.noStream !== true,
      maxTokens: settings.maxTokens ?? null,
      minTokens: settings.minTokens ?? null,
      temperature: settings.temperature ?? null,
      ignoreEos: settings.ignoreEos ?? holdsLengths(settings, dataset),
      stop: settings.stop ?? [],
      body: settings.body ?? {},
    },
    ...((lengths.input !== null || lengths.output !== null) && { lengths }),
    ...askedFor(settings),
    load: loadShape(settings, point, timing),
    requests,
    durationMs: settings.duration ?? null,
    warmup: isNoWarmup(settings.warmup) ? null : (settings.warmup ?? null),
    timeouts: {
      connectMs: settings.connectTimeout ?? defaults.connectMs,
      ttftMs: settings.ttftTimeout ?? null,
      readMs: settings.readTimeout ?? defaults.readMs,
      totalMs: settings.timeout ?? defaults.totalMs,
    },
    seed: settings.seed ?? defaults.seed,
    slo: settings.slo ?? [],
    keepText: settings.noText !== true,
    ...(settings.retry !== undefined && settings.retry > 0 && { retries: settings.retry }),
    ...defined({ stopWhen: settings.stopWhen, limits: settings.limit }),
  };
  return deepFreeze(plan);
}

/** What the point is called, where the settings say it. */
function askedFor({ variant, set }: PlanSettings): Pick<RunPlan, 'asked'> {
  if (variant === undefined && set === undefined) return {};
  return { asked: defined({ variant, settings: set && Object.fromEntries(set) }) };
}

/** How the server is reached, where the settings say more than its address; `url` gives further servers their path. */
export function reachFor(settings: PlanSettings, url: string): Pick<Target, 'reach'> {
  const { ca, cert, certKey, alsoAt, http2 = false, spread } = settings;
  const proxy = settings.proxy === 'none' ? undefined : settings.proxy;
  if ([ca, cert, certKey, proxy, alsoAt].every((word) => word === undefined) && !http2) return {};
  const { pathname, search } = new URL(url);
  const whole = (other: string): string => {
    const typed = new URL(/^https?:\/\//i.test(other) ? other : `http://${other}`);
    return typed.pathname === '/' || typed.pathname === '' ? `${typed.origin}${pathname}${search}` : typed.href;
  };
  return {
    reach: {
      ca: ca ?? null,
      cert: cert ?? null,
      key: certKey ?? null,
      proxy: proxy === undefined ? null : new URL(/^http:\/\//i.test(proxy) ? proxy : `http://${proxy}`).origin,
      also: (alsoAt ?? []).map(whole),
      ...(spread === 'session' && { spread }),
      ...(http2 && { http2: true as const }),
    },
  };
}

/** `--warmup 0` is none. */
function isNoWarmup(warmup: Warmup | undefined): boolean {
  return warmup !== undefined && 'requests' in warmup && warmup.requests === 0;
}

/** Fewest requests where nobody says how many; of fewer than these of each slot no steady part is left. */
export function fewestOf({ concurrency, ratePerSec }: LoadPoint): number {
  return Math.max(100, ratePerSec === null ? 5 * (concurrency ?? 1) : 0);
}
/** Of each slot of a closed loop: its opening is left out, and a comparison wants 18 mean latencies of what is left. */
const answersPerSlot = 25;
/** How long an open loop lasts. */
const openSeconds = 30;

/** Measured requests: the count given; with a duration alone, null = as many as come due; else what makes this load's figures right. */
export function requestsOf(settings: PlanSettings, { concurrency, ratePerSec }: LoadPoint): number | null {
  if (settings.requests !== undefined) return settings.requests;
  if (settings.duration !== undefined) return null;
  const wanted = ratePerSec === null ? answersPerSlot * (concurrency ?? 1) : Math.ceil(openSeconds * ratePerSec);
  return Math.max(fewestOf({ concurrency, ratePerSec }), wanted);
}

/** Answers of a given length are only given when the model may not stop before; the continuation template asks in words. */
function holdsLengths(settings: PlanSettings, dataset: DatasetFacts): boolean {
  if (dataset.kind === 'continuation') return false;
  return settings.outputTokens !== undefined || lengthKinds.has(dataset.kind);
}

function loadShape(settings: PlanSettings, point: LoadPoint, timing: Timing | null): LoadShape {
  const common = {
    concurrency: point.concurrency,
    dropLate: settings.dropLate ?? false,
    ...(settings.sessions === true && { sessions: true as const }),
  };
  if (timing !== null) return { kind: 'open', ...common, ...timing };
  const { ratePerSec } = point;
  if (ratePerSec === null) {
    const rise = settings.ramp !== undefined && 'riseMs' in settings.ramp ? { rampMs: settings.ramp.riseMs } : {};
    return { kind: 'closed', ...common, ratePerSec, arrival: { process: 'closed' }, ...rise };
  }
  return { kind: 'open', ...common, ratePerSec, arrival: plainArrival(settings) };
}

/** The arrival process of the settings, which is not a trace's. */
export function plainArrival(settings: PlanSettings): Exclude<Arrival, { process: 'closed' | 'trace' }> {
  const said = settings.arrival;
  return said === undefined || said.process === 'trace' ? { process: 'poisson' } : said;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
