import type { Mistake } from '../../core/index.ts';
import { isObject, mistake, UserError } from '../../core/index.ts';
import type { DecodeKnot } from './cost/linear-cost.ts';
import type { EngineProfile, FitQuality, FittedDoubt, FittedReach } from './engine-profile.ts';
import { schedulerNames, settingMistakes } from './scheduler/schedulers.ts';
import type { SettingValue } from './scheduler/schedulers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A number, and what it may be. */
interface NumberRule {
  least: number;
  most: number;
  whole: boolean;
}

const amount: NumberRule = { least: 0, most: 1e6, whole: false };
const count: NumberRule = { least: 1, most: 1e9, whole: true };

/** An engine profile out of a parsed JSON value; a UserError names every field that is wrong. `file` is only told. */
export function readProfile(value: unknown, file?: string): EngineProfile {
  const reader = new FieldReader(file);
  const top = reader.object({ profile: value }, 'profile', '');
  const jitter = reader.object(top, 'jitter');
  const kv = top['kv'] === null || top['kv'] === undefined ? null : reader.object(top, 'kv');
  if (top['schema'] !== 'llmdyno.engine-profile/1') {
    reader.wrong('schema', { en: 'must be "llmdyno.engine-profile/1"', zh: '必须为 "llmdyno.engine-profile/1"' });
  }
  const profile: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name: reader.text(top, 'name'),
    title: reader.text(top, 'title'),
    model: reader.text(top, 'model'),
    source: reader.text(top, 'source'),
    date: reader.text(top, 'date'),
    cost: costIn(reader, top),
    jitter: {
      stepSigma: reader.number(jitter, 'stepSigma', { ...amount, most: 2 }, 'jitter.'),
      ...reader.optional(jitter, 'runSigma', { ...amount, most: 2 }, 'jitter.'),
    },
    maxBatchSize: reader.number(top, 'maxBatchSize', count),
    maxPrefillTokens: (top['maxPrefillTokens'] ?? null) === null ? null : reader.number(top, 'maxPrefillTokens', count),
    kv:
      kv === null
        ? null
        : {
            blocks: reader.number(kv, 'blocks', count, 'kv.'),
            blockSize: reader.number(kv, 'blockSize', count, 'kv.'),
          },
    ...reader.optional(top, 'kvBytesPerTokenPerCard', count),
    ...schedulerIn(reader, top),
    ...(typeof top['prefixCaching'] === 'boolean' ? { prefixCaching: top['prefixCaching'] } : {}),
    ...reader.optional(top, 'overheadMs', amount),
    ...(isObject(top['fit']) ? { fit: fitIn(reader, top['fit']) } : {}),
    ...launchIn(reader, top),
    ...frontIn(reader, top),
    notes: reader.texts(top, 'notes'),
  };
  reader.finish();
  return profile;
}

function costIn(reader: FieldReader, from: Fields): EngineProfile['cost'] {
  const cost = reader.object(from, 'cost');
  return {
    aMs: reader.number(cost, 'aMs', { ...amount, least: 0.001 }, 'cost.'),
    cMsPerDecode: reader.number(cost, 'cMsPerDecode', amount, 'cost.'),
    p1MsPerPrefillToken: reader.number(cost, 'p1MsPerPrefillToken', amount, 'cost.'),
    kMsPer1000KvTokens: reader.number(cost, 'kMsPer1000KvTokens', amount, 'cost.'),
    ...reader.optional(cost, 'rMsPerPrompt', amount, 'cost.'),
    ...reader.optional(cost, 'mMsPerMillionAttention', amount, 'cost.'),
    ...decodeCurveOf(reader, cost),
  };
}

/** How good a fit was; what predictions are made with is read as strictly as the engine itself. */
function fitIn(reader: FieldReader, fit: Fields): FitQuality {
  const { reach, doubt, ...told } = fit;
  return {
    ...(told as unknown as FitQuality),
    ...((reach ?? null) === null ? {} : { reach: reachIn(reader, reader.object(fit, 'reach', 'fit.reach')) }),
    ...((doubt ?? null) === null ? {} : { doubt: doubtIn(reader, reader.object(fit, 'doubt', 'fit.doubt')) }),
  };
}

function reachIn(reader: FieldReader, reach: Fields): FittedReach {
  const range = (key: string): [number, number] => {
    const ends = Array.isArray(reach[key]) ? (reach[key] as unknown[]) : [];
    const [from, to] = [0, 1].map((at) =>
      reader.number({ [key]: ends[at] }, key, { ...amount, most: 1e9 }, 'fit.reach.'),
    );
    return [from!, to!];
  };
  return {
    promptTokens: range('promptTokens'),
    outputTokens: range('outputTokens'),
    inFlight: reader.number(reach, 'inFlight', amount, 'fit.reach.'),
    cachedShare: reader.number(reach, 'cachedShare', { ...amount, most: 1 }, 'fit.reach.'),
    promptsAlike: reach['promptsAlike'] === true,
    ...(typeof reach['openLoop'] === 'boolean' && { openLoop: reach['openLoop'] }),
  };
}

/** More servers than this are no more certain, and each is played. */
const mostOthers = 20;

function doubtIn(reader: FieldReader, doubt: Fields): FittedDoubt {
  const errors = reader.object(doubt, 'errors', 'fit.doubt.errors');
  const others = Array.isArray(doubt['others']) ? (doubt['others'] as unknown[]) : [];
  if (others.length === 0 || others.length > mostOthers || !others.every(isObject)) {
    reader.wrong('fit.doubt.others', {
      en: `must be a list of 1 to ${mostOthers} servers`,
      zh: `必须是 1 到 ${mostOthers} 个服务器的列表`,
    });
  }
  return {
    errors: Object.fromEntries(
      Object.keys(errors).map((key) => [key, reader.number(errors, key, { ...amount, most: 10 }, 'fit.doubt.errors.')]),
    ),
    others: others
      .filter(isObject)
      .slice(0, mostOthers)
      .map((other) => ({
        cost: costIn(reader, other),
        ...reader.optional(other, 'overheadMs', amount),
        ...launchIn(reader, other),
        ...frontIn(reader, other),
      })),
    p1Known: doubt['p1Known'] === true,
  };
}

function launchIn(reader: FieldReader, top: Fields): Pick<EngineProfile, 'launch'> {
  if ((top['launch'] ?? null) === null) return {};
  const launch = reader.object(top, 'launch');
  return {
    launch: {
      ms: reader.number(launch, 'ms', amount, 'launch.'),
      ...reader.optional(launch, 'graphTokens', count, 'launch.'),
      ...reader.optional(launch, 'graphMs', amount, 'launch.'),
    },
  };
}

function frontIn(reader: FieldReader, top: Fields): Pick<EngineProfile, 'front'> {
  if ((top['front'] ?? null) === null) return {};
  const front = reader.object(top, 'front');
  const of = (key: string): number => reader.number(front, key, amount, 'front.');
  return {
    front: {
      tokenizeMsPerToken: of('tokenizeMsPerToken'),
      requestMs: of('requestMs'),
      ...reader.optional(front, 'promptMsPerToken', amount, 'front.'),
      stepMs: of('stepMs'),
      tokenMs: of('tokenMs'),
    },
  };
}

function schedulerIn(reader: FieldReader, top: Fields): Pick<EngineProfile, 'scheduler'> {
  const given = top['scheduler'] ?? null;
  if (given === null) return {};
  const fields = reader.object(top, 'scheduler');
  const name = schedulerNames.find((known) => known === fields['name']);
  if (name === undefined) {
    const names = schedulerNames.join(', ');
    reader.wrong('scheduler.name', { en: `must be one of ${names}`, zh: `必须是 ${names} 之一` });
    return {};
  }
  const settings = isObject(fields['settings']) ? fields['settings'] : {};
  for (const { message } of settingMistakes(name, settings)) {
    reader.wrong('scheduler.settings', { en: `(${message.en})`, zh: `（${message.zh}）` });
  }
  return { scheduler: { name, settings: settings as Record<string, SettingValue> } };
}

function decodeCurveOf(reader: FieldReader, cost: Fields): { decodeCurve?: DecodeKnot[] } {
  const given = cost['decodeCurve'] ?? null;
  if (given === null) return {};
  const knots: unknown[] = Array.isArray(given) ? given : [null];
  const whole = knots.filter(
    (knot): knot is DecodeKnot & Fields =>
      isObject(knot) && typeof knot['decodes'] === 'number' && typeof knot['ms'] === 'number' && knot['ms'] >= 0,
  );
  const rises = whole.every((knot, i) => knot.decodes > (whole[i - 1]?.decodes ?? 0));
  if (whole.length !== knots.length || !rises || knots.length > 100) {
    reader.wrong('cost.decodeCurve', {
      en: 'must be a list of {decodes, ms} with rising decodes',
      zh: '必须是 decodes 递增的 {decodes, ms} 列表',
    });
  }
  return { decodeCurve: whole.map(({ decodes, ms }) => ({ decodes, ms })) };
}

class FieldReader {
  readonly #mistakes: Mistake[] = [];

  constructor(private readonly file: string | undefined) {}

  wrong(field: string, what: { en: string; zh: string }): void {
    this.#mistakes.push(
      mistake(
        'bad-profile',
        `engine profile: ${field} ${what.en}`,
        `引擎配置：${field} ${what.zh}`,
        'The files in data/engines show every field of a profile.',
        '完整的字段请参考 data/engines 中的文件。',
        { field, ...(this.file === undefined ? {} : { file: this.file }) },
      ),
    );
  }

  object(from: Fields, key: string, shown: string = key): Fields {
    const value = from[key];
    if (isObject(value)) return value;
    this.wrong(shown === '' ? 'the whole' : shown, { en: 'must be an object', zh: '必须是对象' });
    return {};
  }

  text(from: Fields, key: string): string {
    const value = from[key];
    if (typeof value === 'string' && value.trim() !== '' && value.length <= 1000) return value;
    this.wrong(key, { en: 'must be a text of 1 to 1000 characters', zh: '必须是 1 到 1000 个字符的文本' });
    return '';
  }

  texts(from: Fields, key: string): string[] {
    const value = from[key] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.wrong(key, { en: 'must be a list of texts', zh: '必须是文本列表' });
    return [];
  }

  optional<K extends string>(from: Fields, key: K, rule: NumberRule, prefix = ''): { [P in K]?: number } {
    if ((from[key] ?? null) === null) return {};
    return { [key]: this.number(from, key, rule, prefix) } as { [P in K]?: number };
  }

  number(from: Fields, key: string, rule: NumberRule, prefix = ''): number {
    const value = from[key];
    const holds = typeof value === 'number' && value >= rule.least && value <= rule.most;
    if (holds && (!rule.whole || Number.isInteger(value))) return value;
    const kind = rule.whole ? { en: 'a whole number', zh: '整数' } : { en: 'a number', zh: '数字' };
    this.wrong(prefix + key, {
      en: `must be ${kind.en} from ${rule.least} to ${rule.most}`,
      zh: `必须是 ${rule.least} 到 ${rule.most} 之间的${kind.zh}`,
    });
    return rule.least;
  }

  finish(): void {
    if (this.#mistakes.length > 0) throw new UserError(this.#mistakes);
  }
}
