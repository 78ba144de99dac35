import { readFileSync, statSync } from 'node:fs';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { UserError } from '../core/index.ts';
import type { Mistake, Place } from '../core/index.ts';
import type { GivenWord } from '../run/index.ts';

const maxFileBytes = 4 * 1024 * 1024;

/** The settings of a YAML plan file, each with its line; a file that is no plan is a UserError. */
export function readPlanFile(file: string): GivenWord[] {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines, prettyErrors: false, schema: 'core' });
  if (document.errors.length > 0) {
    throw new UserError(
      document.errors.map((error): Mistake => ({
        code: 'bad-yaml',
        message: { en: `not YAML: ${error.message}`, zh: `YAML 语法错误：${error.message}` },
        hint: {
          en: 'Mend this line; `key: value` pairs, two spaces to indent.',
          zh: '请修正此行；格式为 `key: value`，缩进两个空格。',
        },
        place: { file, line: lines.linePos(error.pos[0]).line },
      })),
    );
  }
  const root = document.contents;
  if (!isMap(root)) throw new UserError(notAPlan(file));
  return root.items.map((pair): GivenWord => {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    const start = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
    const place: Place = { file, field: key, ...(start !== undefined && { line: lines.linePos(start).line }) };
    return { name: key === 'n' ? 'requests' : key, texts: textsOf(key, pair.value), place };
  });
}

/** The object in a YAML file, as plain data. */
export function readYamlObject(file: string): Record<string, unknown> {
  const document = parseDocument(readText(file), { prettyErrors: false, schema: 'core' });
  const value: unknown = document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 10 });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UserError(notAPlan(file));
}

/** A value as the texts that a flag would have brought. */
function textsOf(key: string, value: unknown): string[] {
  if (isSeq(value)) return value.items.flatMap((item) => textsOf(key, item));
  if (isMap(value)) {
    const plain: unknown = value.toJSON();
    if (key === 'header') return Object.entries(plain as object).map(([name, text]) => `${name}: ${String(text)}`);
    return [JSON.stringify(plain)];
  }
  if (isScalar(value) && value.value !== null) return [String(value.value)];
  return [''];
}

function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > maxFileBytes) throw new UserError(notAPlan(file));
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError({
      code: 'plan-file-unreadable',
      message: {
        en: `cannot read it (${(error as NodeJS.ErrnoException).code ?? 'error'})`,
        zh: `无法读取（${(error as NodeJS.ErrnoException).code ?? 'error'}）`,
      },
      hint: {
        en: 'Check the path; a plan file holds the same words as the flags.',
        zh: '请检查路径；计划文件使用与命令行参数相同的词。',
      },
      place: { file },
    });
  }
}

function notAPlan(file: string): Mistake {
  return {
    code: 'not-a-plan-file',
    message: {
      en: 'not a plan: it should be a list of `setting: value` lines',
      zh: '不是计划文件：应为若干行 `设置: 值`',
    },
    hint: {
      en: 'Example: url: http://127.0.0.1:8000 / concurrency: 16 / requests: 1000, one per line.',
      zh: '例如：url: http://127.0.0.1:8000 / concurrency: 16 / requests: 1000，每行一个。',
    },
    place: { file },
  };
}
