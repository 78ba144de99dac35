import { isObject, jsonIn, userError } from '../../core/index.ts';

const unitsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** A duration in ms from `500ms`, `30s`, `5m`, `24h`; a bare number is seconds. */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (match === null) {
    throw userError(
      'bad-value',
      `"${text}" is not a duration`,
      `"${text}" 不是有效的时长`,
      'Write 500ms, 30s, 5m or 24h; a bare number is seconds.',
      '请写 500ms、30s、5m 或 24h；只写数字表示秒。',
    );
  }
  return Number(match[1]) * unitsMs[(match[2] ?? 's') as keyof typeof unitsMs];
}

/** A duration that is longer than nothing. */
export function positiveDurationMs(text: string): number {
  const ms = durationMs(text);
  if (ms > 0) return ms;
  throw userError(
    'bad-value',
    'a duration must be longer than 0',
    '时长必须大于 0',
    'Leave it out for no limit.',
    '不设限制时请去掉此项。',
  );
}

/** A duration in ms within bounds. */
export function durationWithin(leastMs: number, mostMs: number): (text: string) => number {
  return (text) => {
    const ms = durationMs(text);
    if (ms >= leastMs && ms <= mostMs) return ms;
    const [least, most] = [leastMs / 1000, mostMs / 1000];
    throw userError(
      'bad-value',
      `"${text}" is not a time from ${least} to ${most} seconds`,
      `"${text}" 应为 ${least} 到 ${most} 秒`,
      'Write 500ms, 30s or 5m; a bare number is seconds.',
      '请写 500ms、30s 或 5m；只写数字表示秒。',
    );
  };
}

/** A TCP port to listen on. */
export function portNumber(text: string): number {
  const word = text.trim();
  if (/^\d{1,5}$/.test(word) && Number(word) <= 65_535) return Number(word);
  throw userError(
    'bad-value',
    `"${text.slice(0, 20)}" is not a port`,
    `"${text.slice(0, 20)}" 不是有效端口`,
    'Give a number up to 65535; 0 takes any free one.',
    '请给出不超过 65535 的数；0 表示任选空闲端口。',
  );
}

/** A whole number within bounds. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `${least}…${most}`;
    throw userError(
      'bad-value',
      `"${text}" is not a whole number ${range}`,
      `"${text}" 不是 ${range} 的整数`,
      `Give a whole number ${range}.`,
      `请给出 ${range} 的整数。`,
    );
  };
}

/** A number within bounds; Infinity = there is none on that side. */
export function realNumber(least = -Infinity, most = Infinity, exclusive = false): (text: string) => number {
  return (text) => {
    const trimmed = text.trim();
    const value = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : Number.NaN;
    if ((exclusive ? value > least : value >= least) && value <= most) return value;
    const bounds = [
      least === -Infinity ? [] : `${exclusive ? '>' : '≥'} ${least}`,
      most === Infinity ? [] : `≤ ${most}`,
    ];
    const range = bounds.flat().join(', ');
    if (range === '')
      throw userError(
        'bad-value',
        `"${text}" is not a number`,
        `"${text}" 不是数值`,
        'Write digits, with a point for fractions.',
        '请写数字，小数用点。',
      );
    throw userError(
      'bad-value',
      `"${text}" is not a number ${range}`,
      `"${text}" 不是 ${range} 的数值`,
      `Give a number ${range}.`,
      `请给出 ${range} 的数值。`,
    );
  };
}

/** One of a few names. */
export function oneOf<const T extends string>(names: readonly T[]): (text: string) => T {
  return (text) => {
    const name = names.find((candidate) => candidate === text.trim());
    if (name !== undefined) return name;
    throw userError(
      'bad-value',
      `"${text}" is not known here`,
      `未知的取值 "${text}"`,
      `Choose one of: ${names.join(', ')}.`,
      `可选：${names.join('、')}。`,
    );
  };
}

/** Text as it is. */
export function anyText(text: string): string {
  return text;
}

/** Text that `parse` understands, kept as it was written. */
export function textFor(parse: (text: string) => unknown): (text: string) => string {
  return (text) => {
    parse(text);
    return text;
  };
}

/** Text as it is, but not nothing. */
export function someText(text: string): string {
  if (text.trim() !== '') return text;
  throw userError('bad-value', 'an empty value', '取值为空', 'Give a value or leave it out.', '请给出取值或去掉此项。');
}

/** A `Name: value` header. */
export function header(text: string): { name: string; value: string } {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)$/s.exec(text);
  if (match !== null && !/[\r\n\0]/.test(match[2]!)) return { name: match[1]!.toLowerCase(), value: match[2]!.trim() };
  // The text may hold a secret, so it is not repeated.
  throw userError(
    'bad-value',
    'not a header',
    '请求头格式不对',
    "Write it as 'Name: value'; 'Name: env:VARIABLE' takes the value from the environment.",
    "请写成 'Name: value'；'Name: env:变量名' 表示从环境变量取值。",
  );
}

/** A JSON object, for fields put into every request body. */
export function jsonObject(text: string): Record<string, unknown> {
  const value = jsonIn(text);
  if (isObject(value)) return value;
  throw userError(
    'bad-value',
    'not a JSON object',
    '不是 JSON 对象',
    `Write it like '{"top_p": 0.9}'.`,
    `请写成 '{"top_p": 0.9}' 的形式。`,
  );
}

/** An http(s) address, with or without its scheme; kept as typed. */
export function httpAddress(text: string): string {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    if (/^https?:$/.test(url.protocol) && url.hostname !== '' && url.username === '' && url.password === '')
      return text;
  } catch {
    // Told below.
  }
  throw userError(
    'bad-value',
    'not an http(s) address without user and password',
    '不是有效的 http(s) 地址（不能带用户名和密码）',
    'Give something like http://127.0.0.1:8000.',
    '请给出类似 http://127.0.0.1:8000 的地址。',
  );
}
