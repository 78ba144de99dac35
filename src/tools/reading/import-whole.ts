import { formatsFor } from './formats.ts';
import type { FormatName } from './formats.ts';
import { readCsv } from './csv-text.ts';
import { evalscopeDatabase } from '../evalscope/sqlite-reader.ts';
import { complaintsOf } from './imported.ts';
import type { ImportProblem } from './imported.ts';
import { JsonMistake, readJson } from './json-text.ts';
import type { JsonValue } from './json-text.ts';
import { PointDraft } from './point-draft.ts';
import { SqliteMistake } from './sqlite-table.ts';

/** The points of one machine-written file, some of them parts that other files complete. */
export interface DraftFile {
  file: string;
  drafts: PointDraft[];
  problems: ImportProblem[];
}

/** A file that was read in another thread, which hands over what its drafts hold and not what they can do. */
export function handedOver(read: DraftFile): DraftFile {
  return { ...read, drafts: read.drafts.map(PointDraft.from) };
}

const mostProblems = 200;

/** Reads a JSON or JSON-lines file. */
export function importJson(text: string, file: string, format: FormatName = 'auto'): DraftFile {
  const problems: ImportProblem[] = [];
  const complain = complaintsOf(file, problems, mostProblems);
  const values: JsonValue[] = [];
  try {
    readJson(text, values);
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    complain(error.line, {
      en: `not valid JSON from here on: ${error.message}`,
      zh: `从此处起不是有效的 JSON：${error.message}`,
    });
  }
  const [first] = values;
  const kind =
    first === undefined ? undefined : formatsFor('json', format).find((candidate) => candidate.matches(first, file));
  if (kind === undefined) {
    if (values.length > 0) complain(1, { en: 'JSON of no kind that is known here', zh: '无法识别的 JSON 文件' });
    return { file, drafts: [], problems };
  }
  return { file, drafts: kind.read(values, complain), problems };
}

/** Reads a CSV file. */
export function importCsv(text: string, file: string, format: FormatName = 'auto'): DraftFile {
  const problems: ImportProblem[] = [];
  const complain = complaintsOf(file, problems, mostProblems);
  const rows = readCsv(text);
  const kind = formatsFor('csv', format).find((candidate) => candidate.matches(rows));
  if (kind === undefined) {
    complain(1, { en: 'CSV of no kind that is known here', zh: '无法识别的 CSV 文件' });
    return { file, drafts: [], problems };
  }
  return { file, drafts: kind.read(rows, complain), problems };
}

/** Reads evalscope's SQLite file, handed in whole. */
export function importSqlite(bytes: Uint8Array, file: string): DraftFile {
  const problems: ImportProblem[] = [];
  const complain = complaintsOf(file, problems, mostProblems);
  try {
    return { file, drafts: evalscopeDatabase(bytes), problems };
  } catch (error) {
    if (!(error instanceof SqliteMistake)) throw error;
    complain(0, {
      en: `the database cannot be read: ${error.message} (of databases, only evalscope's benchmark_data.db is; of AISBench, give the .csv, .json and _details.jsonl)`,
      zh: `数据库无法读取：${error.message}（数据库仅支持 evalscope 的 benchmark_data.db；AISBench 请提供 .csv、.json 与 _details.jsonl）`,
    });
    return { file, drafts: [], problems };
  }
}
