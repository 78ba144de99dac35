import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Mistake } from '../core/index.ts';

/** A YAML document as plain data, and where each field stands. */
export interface YamlRead {
  value: unknown;
  /** Line of a field (`['space', 'maxBatchSize']`), or of the nearest one around it. */
  lineOf(path: readonly PropertyKey[]): number;
  mistakes: Mistake[];
}

/** Reads YAML; what is wrong with it is told with its line. */
export function readYaml(text: string, file: string): YamlRead {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema: 'core' });
  const mistakes = document.errors.map((error): Mistake => ({
    code: 'bad-yaml',
    message: { en: `not YAML: ${error.message}`, zh: `YAML 语法错误：${error.message}` },
    hint: {
      en: 'Mend this line; `key: value` pairs, two spaces to indent.',
      zh: '请修正此行；格式为 `key: value`，缩进两个空格。',
    },
    place: { file, line: lines.linePos(error.pos[0]).line },
  }));
  return {
    value: mistakes.length > 0 ? null : document.toJS({ maxAliasCount: 20 }),
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
