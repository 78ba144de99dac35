import { dimensionPhrase, exitCodes, printable, say, sweepDocument, userError } from '../../core/index.ts';
import type { Lang, Phrase } from '../../core/index.ts';
import { formatNames } from '../../tools/index.ts';
import type { Imported, ImportedSweep, Origin } from '../../tools/index.ts';
import { anyText, audited, flag, importPaths, keepImports, many, problemLines, shownCommand } from '../../lab/index.ts';
import type { AuditedSweep } from '../../lab/index.ts';
import { argument, example, makeCommand, printJson, remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { formatFlag } from '../format-flag.ts';
import { namedFiles } from '../named-files.ts';

export const command = makeCommand({
  about: {
    en: "Other tools' logs, documents and result files into the store: digits kept as printed, every point audited.",
    zh: '将其他工具的日志、文档和结果文件导入存储：保留原始数字，并审计每个点。',
  },
  arguments: [
    argument('<file...>', 'documents, logs, result files, or folders of them', '文档、日志、结果文件或其所在目录'),
  ],
  flags: {
    format: formatFlag(`${formatNames.join(', ')} (default: auto)`, `${formatNames.join('、')}（默认：auto）`),
    name: many(
      'name TEXT',
      anyText,
      'what to call a sweep, instead of its heading; once for each, in their order',
      '扫描的名称（代替标题）；按顺序每个给出一次',
    ),
    noSave: flag('no-save', 'only show what was found', '只显示结果，不保存'),
  },
  examples: [
    example('dyno import blog-post.md', 'a sweep per section of a document', '文档的每一节成为一次扫描'),
    example('dyno import outputs/20261115_043127', 'a folder of evalscope results', 'evalscope 的结果目录'),
    example('dyno import bench.log --format vllm --json', 'one tool only, as JSON', '仅识别一种工具，输出 JSON'),
  ],
  async run(given, { format = 'auto', name: names = [], noSave = false }) {
    const imported = await importPaths(given.args, format);
    const sweeps = renamed(imported.sweeps, names).map(audited);
    if (!noSave) await keepImports(sweeps, given.common.store, shownCommand(given.io.argv));
    show(given, { ...imported, sweeps });
    return sweeps.length > 0 ? exitCodes.ok : exitCodes.usage;
  },
});

/** Sweeps by the names that were given, the first ones first. */
function renamed(sweeps: readonly ImportedSweep[], names: readonly string[]): ImportedSweep[] {
  if (names.length > sweeps.length) {
    const en = `${names.length} names for ${sweeps.length} sweeps`;
    throw userError(
      'too-many-names',
      en,
      `${sweeps.length} 个扫描却有 ${names.length} 个名称`,
      'See what a file holds with: dyno import FILE --no-save.',
      '先用 dyno import 文件 --no-save 查看其中有哪些扫描。',
      '--name',
    );
  }
  return sweeps.map((sweep, i) => ({ ...sweep, title: names[i] === undefined ? sweep.title : printable(names[i]) }));
}

function show(given: ParsedCommand, imported: Imported & { sweeps: AuditedSweep[] }): void {
  const { io, common } = given;
  const problems = imported.problems.map(({ file, line, message, zh }) => ({
    file,
    line,
    message: common.lang === 'zh' ? zh : message,
  }));
  if (common.json) {
    printJson(given, { schema: 'llmdyno.import/1', sweeps: imported.sweeps.map(sweepDocument), problems });
    return;
  }
  for (const sweep of imported.sweeps) {
    const invalid = sweep.points.filter((point) => !point.verdict.valid).length;
    const count = say({ en: `${sweep.points.length} points`, zh: `${sweep.points.length} 个点` }, common.lang);
    const doubt =
      invalid === 0 ? '' : say({ en: `, ${invalid} not valid`, zh: `，其中 ${invalid} 个无效` }, common.lang);
    io.out(`${sweep.id}  ${printable(sweep.title)}  (${count}${doubt})\n`);
    const read = sweep.origins.map((origin) => originText(origin, common.lang)).join(', ');
    if (read !== '' && !common.quiet) io.out(`    ${printable(read)}\n`);
  }
  io.err(problemLines(imported.problems, common.lang));
  if (imported.sweeps.length === 0)
    io.err(
      `${namedFiles(given.args)}: ${say({ en: 'nothing was found that could be imported', zh: '没有可导入的内容' }, common.lang)}\n`,
    );
  else
    remark(
      given,
      'see one with: dyno report ID, its doubts with: dyno audit ID',
      '查看：dyno report ID；审计：dyno audit ID',
    );
}

const places = {
  heading: { en: 'heading', zh: '标题' },
  command: { en: 'command', zh: '命令' },
  text: { en: 'text', zh: '正文' },
} as const satisfies Record<Origin['where'], Phrase>;

/** "engine vLLM (command, line 450)": what the points are called by what stands around them. */
function originText({ name, value, where, line }: Origin, lang: Lang): string {
  const said = say(dimensionPhrase(name), lang);
  return say(
    {
      en: `${said} ${value} (${places[where].en}, line ${line})`,
      zh: `${said} ${value}（${places[where].zh}，第 ${line} 行）`,
    },
    lang,
  );
}
