import { isObject, userError } from '../../core/index.ts';
import type { Place } from '../../core/index.ts';
import { readYaml } from '../../advice/tune/index.ts';
import { readDocument } from '../results/read-bounded.ts';
import { throwMistakes } from './read-vocabulary.ts';
import type { GivenSetting } from './read-vocabulary.ts';

/** The settings of a YAML plan file, each with its line; a file that is no plan is a UserError. */
export function readPlanFile(file: string): GivenSetting[] {
  const { value, lineOf, mistakes } = readYaml(readPlanText(file), file);
  throwMistakes(mistakes);
  return plainSettings(objectIn(value, file), (key) => ({ file, field: key, line: lineOf([key]) }));
}

/** Settings as plain data, as the texts that flags would have brought; what is undefined was not said. */
export function plainSettings(settings: object, placeOf: (key: string) => Place): GivenSetting[] {
  return Object.entries(settings as Record<string, unknown>)
    .filter(([, setting]) => setting !== undefined)
    .map(([key, setting]) => ({
      name: key === 'n' ? 'requests' : key,
      texts: textsOf(key, setting),
      place: placeOf(key),
    }));
}

/** The object in a YAML file, as plain data. */
export function readYamlObject(file: string): Record<string, unknown> {
  const { value, mistakes } = readYaml(readPlanText(file), file);
  throwMistakes(mistakes);
  return objectIn(value, file);
}

function objectIn(value: unknown, file: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw userError(
    'not-a-plan-file',
    'not a plan: it should be a list of `setting: value` lines',
    '不是计划文件：应为若干行 `设置: 值`',
    'Example: url: http://127.0.0.1:8000 / concurrency: 16 / requests: 1000, one per line.',
    '例如：url: http://127.0.0.1:8000 / concurrency: 16 / requests: 1000，每行一个。',
    { file },
  );
}

/** A value as the texts that a flag would have brought. */
function textsOf(key: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(key, item));
  if (typeof value === 'object' && value !== null) {
    if (key === 'header') return Object.entries(value).map(([name, text]) => `${name}: ${String(text)}`);
    return [JSON.stringify(value)];
  }
  return [value === null || value === undefined ? '' : String(value as string | number | boolean)];
}

/** The text of a plan or tune file. */
export function readPlanText(file: string): string {
  return readDocument(file, {
    code: 'plan-file-unreadable',
    hint: {
      en: 'Check the path; a plan file holds the same words as the flags, `dyno tune --init mindie` prints a tune file.',
      zh: '请检查路径；计划文件使用与命令行参数相同的词，`dyno tune --init mindie` 可输出 tune 文件模板。',
    },
  });
}
