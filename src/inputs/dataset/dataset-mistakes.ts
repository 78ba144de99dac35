import type { Mistake, Place } from '../../core/index.ts';
import { mistake, printable } from '../../core/index.ts';

// Mistakes of the spec and of whole files first, those of single lines after.

const flag = '--dataset';
const shown = (text: string): string => cut(printable(text), 120);

/** The end of a long path says more than its beginning. */
function shownPath(path: string): string {
  const text = printable(path);
  return text.length > 240 ? `…${text.slice(-240)}` : text;
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}

/** `foo:x` where foo is no kind, or a kind without the file it needs. */
export function unknownKind(spec: string, kinds: readonly string[]): Mistake {
  const list = kinds.join(', ');
  return mistake(
    'dataset-unknown-kind',
    `no dataset kind or file "${shown(spec)}"`,
    `没有名为“${shown(spec)}”的数据集类型或文件`,
    `write KIND:FILE, the path of a file, random, or builtin:questions; kinds: ${list} (dyno dataset list explains them)`,
    `请写 类型:文件、文件路径、random，或 builtin:questions；可用类型：${list}（dyno dataset list 有说明）`,
    flag,
  );
}

/** `openqa` alone. */
export function kindNeedsFile(kind: string): Mistake {
  return mistake(
    'dataset-needs-file',
    `"${kind}" does not say which file to read`,
    `“${kind}”没有指明要读取的文件`,
    `write ${kind}:FILE, for example ${kind}:questions.jsonl`,
    `请写 ${kind}:文件，例如 ${kind}:questions.jsonl`,
    flag,
  );
}

/** Nothing at that path. */
export function fileNotFound(file: string): Mistake {
  return mistake(
    'dataset-not-found',
    'there is no such dataset file',
    '数据集文件不存在',
    'check the path (it counts from the folder you are in); without --dataset the built-in questions are asked',
    '请检查路径（相对于当前目录）；不写 --dataset 时使用内置问题',
    { flag, file: shownPath(file) },
  );
}

/** A folder, or a pipe or device, which cannot be read a second time. */
export function notAFile(file: string, what: 'folder' | 'special'): Mistake {
  const en = what === 'folder' ? 'is a folder, not a file' : 'is not a plain file, so it cannot be read twice';
  const zh = what === 'folder' ? '是目录，不是文件' : '不是普通文件，无法重复读取';
  return {
    code: 'dataset-not-a-file',
    message: { en: `the dataset ${en}`, zh: `数据集${zh}` },
    hint:
      what === 'folder'
        ? {
            en: 'name one file in it, for example FOLDER/open_qa.jsonl',
            zh: '请指明目录中的某个文件，例如 目录/open_qa.jsonl',
          }
        : { en: 'save it to a file first', zh: '请先保存为文件' },
    place: { flag, file: shownPath(file) },
  };
}

/** The system refused to read it; its own code is told. */
export function unreadable(file: string, systemCode: string): Mistake {
  return mistake(
    'dataset-unreadable',
    `the dataset cannot be read (${shown(systemCode)})`,
    `无法读取数据集（${shown(systemCode)}）`,
    'check the permissions and the disk',
    '请检查文件权限和磁盘',
    { flag, file: shownPath(file) },
  );
}

/** Empty, or blank lines only. */
export function noPrompts(file: string): Mistake {
  return mistake(
    'dataset-empty',
    'the dataset holds no prompt',
    '数据集中没有任何问题',
    'put one prompt on each line: JSON with "question", or plain text',
    '每行写一个问题：含 "question" 的 JSON，或纯文本',
    { flag, file: shownPath(file) },
  );
}

/** Compressed, columnar or UTF-16 data where text was expected. */
export function packed(file: string, format: string): Mistake {
  return mistake(
    'dataset-packed',
    `the dataset is ${format} data, not text`,
    `数据集是 ${format} 数据，不是文本`,
    'unpack or convert it to UTF-8 text first',
    '请先解压或转换为 UTF-8 文本',
    { flag, file: shownPath(file) },
  );
}

/** Another size or another file than when it was opened. */
export function fileChanged(file: string): Mistake {
  return mistake(
    'dataset-changed',
    'the dataset changed while it was being read',
    '数据集在读取过程中被修改',
    'leave the file alone during a run, then run again',
    '运行期间请勿修改文件，然后重新运行',
    { flag, file: shownPath(file) },
  );
}

/** A line that would have to be held in memory whole. */
export function lineTooLong(at: Place & { file: string }, limitMiB: number): Mistake {
  return mistake(
    'dataset-line-too-long',
    `a line is longer than ${limitMiB} MiB`,
    `某一行超过 ${limitMiB} MiB`,
    "one prompt per line is expected; a JSON array is turned into lines by: jq -c '.[]' FILE > FILE.jsonl",
    "每行应为一个问题；JSON 数组可用 jq -c '.[]' 文件 > 文件.jsonl 转换",
    placeOf(at),
  );
}

/** Bytes that are not UTF-8. */
export function notUtf8(at: Place & { file: string }): Mistake {
  return mistake(
    'dataset-not-utf8',
    'the line is not valid UTF-8',
    '该行不是有效的 UTF-8 编码',
    'convert the file, for example: iconv -f GB18030 -t UTF-8 FILE > NEW',
    '请转换编码，例如：iconv -f GB18030 -t UTF-8 文件 > 新文件',
    placeOf(at),
  );
}

/** A line that no JSON parser takes; its words are told. */
export function lineIsNotJson(at: Place & { file: string }, field: string, parserWords: string): Mistake {
  return mistake(
    'dataset-malformed-line',
    `not JSON (${cut(printable(parserWords), 100)}); expected one object per line with "${shown(field)}"`,
    `不是 JSON（${cut(printable(parserWords), 100)}）；每行应为含 "${shown(field)}" 的 JSON 对象`,
    'mend the line; for plain text write lines:FILE; an indented or array file becomes lines by jq -c',
    '请修正该行；纯文本请写 lines:文件；多行或数组形式的 JSON 可用 jq -c 转换',
    placeOf(at),
  );
}

/** JSON, but an array, a number, a string … */
export function lineIsNotAnObject(at: Place & { file: string }, field: string, kind: string): Mistake {
  return mistake(
    'dataset-malformed-line',
    `the line is a JSON ${kind}; expected an object with "${shown(field)}"`,
    `该行是 JSON ${kind}；应为含 "${shown(field)}" 的对象`,
    `write each line as {"${shown(field)}": "…"}`,
    `每行请写成 {"${shown(field)}": "…"}`,
    placeOf(at),
  );
}

/** The field asked for is not there; the fields that are, are named. */
export function fieldMissing(at: Place & { file: string }, field: string, fields: readonly string[]): Mistake {
  const names = fields.slice(0, 10).map((name) => `"${cut(printable(name), 40)}"`);
  const list = names.join(', ') + (fields.length > names.length ? ', …' : '');
  const example = names[0]?.slice(1, -1) ?? 'NAME';
  return mistake(
    'dataset-wrong-field',
    `no field "${shown(field)}"; the fields there are: ${list === '' ? 'none' : list}`,
    `没有字段 "${shown(field)}"；现有字段：${list === '' ? '无' : list}`,
    `say which field is the prompt, for example --field ${example}`,
    `请指明哪个字段是问题，例如 --field ${example}`,
    { ...placeOf(at), field: shown(field) },
  );
}

/** The field is there but holds no string. */
export function fieldIsNotText(at: Place & { file: string }, field: string, kind: string): Mistake {
  return mistake(
    'dataset-wrong-field',
    `the field is a JSON ${kind}, not text`,
    `该字段是 JSON ${kind}，不是文本`,
    'name a field that holds text with --field',
    '请用 --field 指明一个文本字段',
    { ...placeOf(at), field: shown(field) },
  );
}

/** A prompt of nothing but white space. */
export function emptyPrompt(at: Place & { file: string }): Mistake {
  return mistake(
    'dataset-empty-prompt',
    'the prompt is blank',
    '问题内容为空',
    'delete the line or fill it in',
    '请删除该行或补全内容',
    placeOf(at),
  );
}

function placeOf(at: Place & { file: string }): Place {
  return { ...at, file: shownPath(at.file) };
}
