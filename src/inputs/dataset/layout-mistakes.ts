import type { Mistake, Place } from '../../core/index.ts';
import { mistake, printable } from '../../core/index.ts';

type At = Place & { file: string };

/** Packed data that ends too early or is damaged. */
export function brokenPack(at: At, packing: string, truncated: boolean): Mistake {
  return {
    code: 'dataset-pack-broken',
    message: truncated
      ? {
          en: `the ${packing} data ends too early: the file is cut off after this line`,
          zh: `${packing} 数据不完整：文件在此行之后被截断`,
        }
      : { en: `the ${packing} data is damaged around this line`, zh: `${packing} 数据在此行附近损坏` },
    hint: { en: 'fetch the file again and compare its size', zh: '请重新下载文件并核对大小' },
    place: { flag: '--dataset', ...at },
  };
}

/** A file that begins like a JSON array and is none. */
export function arrayBroken(at: At, how: 'after-end' | 'no-array' | 'cut-off'): Mistake {
  const says = {
    'after-end': { en: 'there is text behind the end of the JSON array', zh: 'JSON 数组结束后还有内容' },
    'no-array': { en: 'a JSON array was expected', zh: '此处应为 JSON 数组' },
    'cut-off': { en: 'the JSON array never ends: the file is cut off', zh: 'JSON 数组没有结束：文件被截断' },
  } as const;
  return {
    code: 'dataset-malformed-array',
    message: says[how],
    hint: {
      en: 'mend the file, or write one JSON object per line',
      zh: '请修正文件，或改为每行一个 JSON 对象',
    },
    place: at,
  };
}

/** CSV that is none. */
export function csvBroken(at: At, how: 'quote' | 'open' | 'columns', found: number, wanted: number): Mistake {
  const says = {
    quote: { en: 'text stands behind a closing quote', zh: '引号结束后还有文字' },
    open: { en: 'a quoted field that begins here never ends', zh: '从这里开始的引号字段没有结束' },
    columns: {
      en: `the row has ${found} columns, the first row names ${wanted}`,
      zh: `该行有 ${found} 列，首行定义了 ${wanted} 列`,
    },
  } as const;
  return {
    code: 'dataset-malformed-csv',
    message: says[how],
    hint: {
      en: 'CSV with commas, names in the first row, quotes doubled inside quotes (RFC 4180)',
      zh: 'CSV 应以逗号分隔、首行为列名、引号内的引号写两次（RFC 4180）',
    },
    place: at,
  };
}

/** Parquet that cannot be read. */
export function parquetBroken(file: string, words: string): Mistake {
  const why = printable(words).slice(0, 160);
  return mistake(
    'dataset-malformed-parquet',
    `the Parquet file cannot be read (${why})`,
    `无法读取 Parquet 文件（${why}）`,
    'fetch it again, or convert it to JSONL',
    '请重新下载，或转换为 JSONL',
    { file: printable(file).slice(-240) },
  );
}

/** An Arrow file of a saved dataset that cannot be read. */
export function arrowBroken(file: string, words: string): Mistake {
  const why = printable(words).slice(0, 160);
  return mistake(
    'dataset-malformed-arrow',
    `the Arrow file cannot be read (${why})`,
    `无法读取 Arrow 文件（${why}）`,
    'save the dataset again, or write it with to_parquet',
    '请重新保存数据集，或用 to_parquet 导出',
    { file: printable(file).slice(-240) },
  );
}

/** A record that lacks what its format needs; `what` says it. */
export function wrongShape(at: At, kind: string, what: { en: string; zh: string }): Mistake {
  return mistake(
    'dataset-wrong-shape',
    `not a record of ${kind}: ${what.en}`,
    `不是 ${kind} 记录：${what.zh}`,
    '`dyno dataset list` shows what each kind holds; `dyno dataset inspect FILE` shows what is there',
    '`dyno dataset list` 说明每种类型的内容；`dyno dataset inspect 文件` 查看实际内容',
    at,
  );
}

/** A prompt that does not fit the model's context. */
export function tooLongForModel(at: Place, tokens: number, limit: number): Mistake {
  return mistake(
    'dataset-prompt-too-long',
    `prompt and answer take ${tokens} tokens, the model takes ${limit}`,
    `提示词与回答共 ${tokens} token，模型最多 ${limit}`,
    'shorten the prompt, lower --output-tokens or --max-tokens, or raise the limit of the server',
    '请缩短提示词、降低 --output-tokens 或 --max-tokens，或提高服务器上限',
    at,
  );
}

/** A trace whose time goes backwards or is none. */
export function badTime(at: At, text: string): Mistake {
  const shown = printable(text).slice(0, 60);
  return mistake(
    'trace-bad-time',
    `"${shown}" is no time, or lies before the one above it`,
    `"${shown}" 不是有效时间，或早于上一条`,
    'sort the trace by time; see docs/guide/datasets.md',
    '请按时间排序；参见 docs/guide/datasets.md',
    at,
  );
}
