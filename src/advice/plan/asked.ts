import type { Mistake, Phrase } from '../../core/index.ts';
import { mistake } from '../../core/index.ts';

/** Numbers of a question read one by one; every mistake is kept, so that all are reported together. */
export class Asked {
  readonly mistakes: Mistake[] = [];

  constructor(private readonly said: Readonly<Record<string, unknown>>) {}

  /** A whole number of at least `least`; `usual` where nothing was said. */
  whole(key: string, flag: string, least: number, usual: number): number {
    const value = this.said[key];
    if (value === undefined) return usual;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
    this.mistakes.push(
      this.wrong(
        flag,
        { en: `must be a whole number of at least ${least}`, zh: `必须是不小于 ${least} 的整数` },
        value,
      ),
    );
    return usual;
  }

  /** A whole number ≥ 1, or null where nothing was said. */
  optionalWhole(key: string, flag: string): number | null {
    return this.said[key] === undefined ? null : this.whole(key, flag, 1, 1);
  }

  /** A number ≥ 0, or null where nothing was said. */
  size(key: string, flag: string): number | null {
    const value = this.said[key];
    if (value === undefined) return null;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    this.mistakes.push(this.wrong(flag, { en: 'must be a number of at least 0', zh: '必须是不小于 0 的数' }, value));
    return null;
  }

  /** A part of a whole, above 0 and at most 1. */
  ratio(key: string, flag: string, usual: number): number {
    const value = this.said[key];
    if (value === undefined) return usual;
    if (typeof value === 'number' && value > 0 && value <= 1) return value;
    this.mistakes.push(this.wrong(flag, { en: 'must be above 0 and at most 1', zh: '必须大于 0 且不超过 1' }, value));
    return usual;
  }

  atLeast(flag: string, value: number, otherFlag: string, other: number): void {
    if (value >= other) return;
    this.mistakes.push(
      this.wrong(
        flag,
        { en: `must not be less than ${otherFlag} (${other})`, zh: `不能小于 ${otherFlag}（${other}）` },
        value,
      ),
    );
  }

  missing(code: string, flag: string, message: Phrase, example: string): void {
    this.mistakes.push({
      code,
      message,
      hint: { en: `for example ${example}`, zh: `例如 ${example}` },
      place: { flag },
    });
  }

  wrong(flag: string, rule: Phrase, value?: unknown): Mistake {
    const [en, zh] = typeof value === 'number' ? [`${value} is not allowed: it `, `不允许取 ${value}：`] : ['it ', ''];
    return mistake(
      'number-out-of-range',
      `${en}${rule.en}`,
      `${zh}${rule.zh}`,
      'mend the number and run again',
      '请修改该数值后重试',
      flag,
    );
  }
}
