import type { Mistake, Phrase, Place } from '../../core/index.ts';
import { mistake } from '../../core/index.ts';

/** The fields of a config.json read one by one; every mistake is kept, so that all are reported together. */
export class ConfigFields {
  readonly mistakes: Mistake[] = [];

  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    private readonly place: Place,
  ) {}

  /** The value of the first of these names that is there and not null. */
  raw(...names: string[]): unknown {
    for (const name of names) {
      if (Object.hasOwn(this.fields, name) && this.fields[name] !== null) return this.fields[name];
    }
    return undefined;
  }

  /** A whole number ≥ 1 under one of these names; its absence is a mistake. */
  needed(meaning: Phrase, ...names: string[]): number {
    const value = this.optional(...names);
    if (value !== null) return value;
    if (this.raw(...names) === undefined) {
      this.mistakes.push(
        mistake(
          'model-config-field-missing',
          `${names[0]} is missing (${meaning.en})`,
          `缺少 ${names[0]}（${meaning.zh}）`,
          `give the config.json that lies beside the weights${
            names.length > 1 ? `; ${names.slice(1).join(', ')} would do too` : ''
          }`,
          `请使用权重目录中的 config.json${names.length > 1 ? `；也可用 ${names.slice(1).join('、')}` : ''}`,
          { ...this.place, field: names[0]! },
        ),
      );
    }
    return 1;
  }

  /** A whole number ≥ 1 under one of these names, or null; another value is a mistake. */
  optional(...names: string[]): number | null {
    return this.#whole(1, names);
  }

  /** A whole number ≥ 0 under one of these names, or null; another value is a mistake. */
  count(...names: string[]): number | null {
    return this.#whole(0, names);
  }

  flag(name: string): boolean {
    return this.raw(name) === true;
  }

  text(...names: string[]): string | null {
    const value = this.raw(...names);
    return typeof value === 'string' ? value : null;
  }

  #whole(least: number, names: readonly string[]): number | null {
    const name = names.find((n) => Object.hasOwn(this.fields, n) && this.fields[n] !== null);
    if (name === undefined) return null;
    const value = this.fields[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
    this.mistakes.push(
      mistake(
        'model-config-field-wrong',
        `${name} must be a whole number of at least ${least}`,
        `${name} 必须是不小于 ${least} 的整数`,
        'take the file as its authors published it',
        '请使用模型作者发布的原文件',
        { ...this.place, field: name },
      ),
    );
    return null;
  }
}
