import { printable } from '../../core/index.ts';
import type { Mention } from '../../core/index.ts';
import type { DistributionName, FactKey, Meaning } from './fact-key.ts';
import type { Complain, Origin } from './imported.ts';
import { JsonNumber } from './json-text.ts';
import type { JsonValue } from './json-text.ts';
import { readNumber } from './number-text.ts';
import type { RequestTimes } from './request-course.ts';

/** One figure as the file prints it. */
export interface Fact {
  value: number;
  digits: string;
  line: number;
}

/** Words that tools print where they have no number. */
const absent = new Set(['', '-', '/', 'n/a', 'na', 'none', 'null', '—', '--', 'not set']);

/** A load point while its file is being read: figures with digits and line, and everything said a second time. */
export class PointDraft {
  tool: string;
  /** First line of the block or row. */
  readonly line: number;
  readonly facts = new Map<FactKey, Fact>();
  readonly mentions: Mention[] = [];
  /** The lines of its block, as they stood in running text; null = not from such a block alone. */
  block: string | null = null;
  label: string | null = null;
  /** What a table or the words above a block call it; tells points of one load apart. */
  variant: string | null = null;
  /** The last words of prose before the block, and their line. */
  before: { text: string; line: number } | null = null;
  /** What was read around the block and not in it. */
  readonly origins: Origin[] = [];
  engine: string | null = null;
  readonly settings = new Map<string, string>();
  /** The lengths by which the source names the point, as it prints them. */
  asked: { input: string | null; output: string | null } | null = null;
  model: string | null = null;
  startedAt: string | null = null;
  stream: boolean | null = null;
  kind: 'closed' | 'open' | 'replay' | null = null;
  percentileMethod: string | null = null;
  tokenSource: 'server' | 'client' | null = null;
  /** Where the figures stand: a log block beats a table. */
  from: 'block' | 'table';
  /** A file that holds only part of a point: its percentiles, settings or requests; null = a whole point. */
  part: 'percentiles' | 'settings' | 'requests' | null = null;
  /** Other things the tool tells, under its own names; numbers go through put(`server.…`). */
  readonly server = new Map<string, string | boolean>();
  readonly byProblem = new Map<string, number>();
  /** When its requests were sent, heard and over, where the file tells each of them; empty = it does not. */
  requests: readonly RequestTimes[] = [];
  /** How many requests the file says its distributions are made of; null = the ones that succeeded. */
  samples: number | null = null;
  /** Distributions that the file prints under a name they do not deserve: digits are kept, the figure is null. */
  readonly misnamed = new Set<DistributionName>();

  constructor(tool: string, line: number, from: 'block' | 'table' = 'block') {
    this.tool = tool;
    this.line = line;
    this.from = from;
  }

  /** A draft that came from another thread, which hands over what it holds and not what it can do. */
  static readonly from = (held: PointDraft): PointDraft => {
    return Object.assign(new PointDraft(held.tool, held.line, held.from), held);
  };

  /** Reads a figure from text; a word for "nothing" is skipped, anything else that is no number is complained about. */
  putText(meaning: Meaning, text: string, line: number, complain: Complain): void {
    if (absent.has(text.trim().toLowerCase())) return;
    const number = readNumber(meaning.key.startsWith('counts.') ? text.replace(sharePart, '') : text);
    const scale = number === null ? null : scaleOf(meaning, number.unit);
    if (number === null || scale === null || (number.value < 0 && !isSentinel(number.value))) {
      const shown = printable(text).slice(0, 60);
      complain(line, {
        en: `${meaning.key}: not a usable number: "${shown}"`,
        zh: `${meaning.key}：不是可用的数字："${shown}"`,
      });
      return;
    }
    // evalscope writes -1 where it has no value.
    if (isSentinel(number.value)) return;
    this.put({ key: meaning.key, scale }, { value: number.value, digits: number.digits, line });
  }

  /** Takes a figure that is already a number; said again, it becomes a mention and the first one stays. */
  put(meaning: Meaning, fact: Fact): void {
    if (!Number.isFinite(fact.value)) return;
    const known = this.facts.get(meaning.key);
    if (known !== undefined) {
      this.mention(meaning.key, fact.digits, fact.line, 'block');
      return;
    }
    this.facts.set(meaning.key, { value: scaled(fact.value, meaning.scale), digits: fact.digits, line: fact.line });
  }

  /** A figure that follows from others by arithmetic alone; it has no digits of its own. */
  readonly derivedFacts = new Map<FactKey, number>();

  derived(key: FactKey, value: number): void {
    if (Number.isFinite(value)) this.derivedFacts.set(key, value);
  }

  /** Takes a field of a JSON file. Missing, null and -1 are skipped; a text is read like any other. */
  putJson(meaning: Meaning, value: JsonValue | undefined, complain: Complain): void {
    if (typeof value === 'string') this.putText(meaning, value, this.line, complain);
    if (!(value instanceof JsonNumber) || isSentinel(value.value)) return;
    if (value.value < 0 || Math.abs(value.value) > 1e15) {
      complain(value.line, {
        en: `${meaning.key}: not a usable number: ${value.digits.slice(0, 40)}`,
        zh: `${meaning.key}：不是可用的数字：${value.digits.slice(0, 40)}`,
      });
      return;
    }
    this.put(meaning, { value: value.value, digits: value.digits, line: value.line });
  }

  mention(key: FactKey, digits: string, line: number, where: Mention['where']): void {
    if (this.mentions.length < 200) this.mentions.push({ key, digits, line, where });
  }

  get(key: FactKey): number | null {
    return this.facts.get(key)?.value ?? this.derivedFacts.get(key) ?? null;
  }

  digits(key: FactKey): string | null {
    return this.facts.get(key)?.digits ?? null;
  }
}

/** The share behind a count says nothing new: "13 (1.3%)". */
const sharePart = /\s*[(（]\s*[\d.]+\s*[%％]\s*[)）]\s*$/;

/** evalscope's "no value": -1, or -1 s shown in ms. */
function isSentinel(value: number): boolean {
  return value === -1 || value === -1000;
}

/** Decimal scaling without binary dust: 8.0644 s is 8064.4 ms. */
function scaled(value: number, scale: number): number {
  return scale === 1 ? value : Number((value * scale).toPrecision(15));
}

/** The scale for a figure with a unit of its own behind it; null = a unit that this figure cannot have. */
function scaleOf(meaning: Meaning, unit: string): number | null {
  const timed = /Ms(?:\.|$)/.test(meaning.key);
  switch (unit) {
    case '':
      return meaning.scale;
    case 's':
    case 'sec':
    case 'seconds':
    case '秒':
      return timed ? 1000 : null;
    case 'ms':
    case '毫秒':
      return timed ? 1 : null;
    case 'token/s':
    case 'tokens/s':
    case 'tok/s':
    case 'req/s':
    case 'tps':
    case 'qps':
      return meaning.key.includes('PerSec') ? meaning.scale : null;
    default:
      return null;
  }
}
