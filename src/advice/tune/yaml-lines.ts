import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Mistake } from '../../core/index.ts';
import { mistake } from '../../core/index.ts';

/** A YAML document as plain data, and where each field stands. */
export interface YamlRead {
  value: unknown;
  /** Line of a field (`['space', 'maxBatchSize']`), or of the nearest one around it. */
  lineOf(path: readonly PropertyKey[]): number;
  mistakes: Mistake[];
}

/** Aliases that may stand for each other: a few lines can otherwise stand for more than any memory holds. */
const mostAliases = 20;
const mostErrors = 20;

/** Reads YAML; what is wrong with it is told with its line. */
export function readYaml(text: string, file: string): YamlRead {
  const lines = new LineCounter();
  const nowhere: YamlRead = { value: null, lineOf: () => 1, mistakes: [] };
  const wrong = (en: string, zh: string, at: number): Mistake =>
    mistake(
      'bad-yaml',
      `not YAML: ${en}`,
      `YAML 语法错误：${zh}`,
      'Mend this line; `key: value` pairs, two spaces to indent.',
      '请修正此行；格式为 `key: value`，缩进两个空格。',
      { file, line: lines.linePos(at).line },
    );
  let document;
  try {
    // The library compares each key with all others; keys that stand twice are looked for below.
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema: 'core', uniqueKeys: false });
  } catch {
    return { ...nowhere, mistakes: [wrong('it is nested too deeply', '嵌套过深', 0)] };
  }
  const mistakes = document.errors.slice(0, mostErrors).map(({ message, pos }) =>
    // The library tells its own stack as a mistake of the text.
    /call stack/i.test(message)
      ? wrong('it is nested too deeply', '嵌套过深', pos[0])
      : wrong(message, message, pos[0]),
  );
  let value: unknown = null;
  if (mistakes.length === 0) {
    try {
      mistakes.push(...twice(document.contents).map((at) => wrong('this key stands twice', '此键重复', at)));
      value = document.toJS({ maxAliasCount: mostAliases });
    } catch (error) {
      const why = error instanceof RangeError ? 'it is nested too deeply' : 'its aliases stand for too much';
      mistakes.push(wrong(why, error instanceof RangeError ? '嵌套过深' : '别名展开后过大', 0));
    }
  }
  return {
    value: mistakes.length > 0 ? null : value,
    mistakes,
    lineOf(path) {
      let node: unknown = document.contents;
      let line = 1;
      for (const key of path) {
        if (isMap(node)) {
          const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
          if (pair === undefined) break;
          const start = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
          if (start !== undefined) line = lines.linePos(start).line;
          node = pair.value;
        } else if (isSeq(node)) {
          node = node.items[Number(key)];
          const start = (node as { range?: [number, number, number] } | undefined)?.range?.[0];
          if (start !== undefined) line = lines.linePos(start).line;
        } else break;
      }
      return line;
    },
  };
}

/** Where keys stand that their map holds already. */
function twice(node: unknown): number[] {
  if (isSeq(node)) return node.items.flatMap(twice);
  if (!isMap(node)) return [];
  const seen = new Set<string>();
  return node.items.flatMap(({ key, value }) => {
    const below = twice(value);
    if (!isScalar(key)) return below;
    const name = String(key.value);
    if (seen.has(name)) return [key.range?.[0] ?? 0, ...below];
    seen.add(name);
    return below;
  });
}
