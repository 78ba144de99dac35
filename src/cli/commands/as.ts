import { exitCodes, say } from '../../core/index.ts';
import { findTool } from '../as/find-tool.ts';
import type { ForeignTable } from '../../tools/index.ts';
import { flag } from '../../lab/index.ts';
import { argument, example } from '../command.ts';
import type { CommandFile, ParsedCommand } from '../command.ts';

export const command: CommandFile = {
  about: {
    en: 'Put `dyno as` in front of the benchmark command you already have: it is taken as it stands, and the result is printed as that tool prints it.',
    zh: '在已有的压测命令前加上 `dyno as`：命令原样接受，结果按原工具的格式输出。',
  },
  raw: true,
  arguments: [
    argument(
      '<command...>',
      "evalscope-perf …, evalscope perf …, vllm bench serve …, benchmark_serving.py …, MindIE's benchmark …; python and a path in front are passed over",
      'evalscope-perf …、evalscope perf …、vllm bench serve …、benchmark_serving.py …、MindIE benchmark …；前面的 python 和路径会被忽略',
    ),
  ],
  flags: {
    lenient: flag(
      'lenient',
      'before the command: exit 0 even where the run is not valid, as that tool does (otherwise 5)',
      '写在命令之前：结果无效时也以 0 退出，与原工具一致（否则为 5）',
    ),
  },
  examples: [
    example(
      'dyno as evalscope-perf http://127.0.0.1:8000/v1/chat/completions qwen open_qa.jsonl --parallels 8 --parallels 16 --n 100',
      'a sweep with blocks, text files and performance_metrics.png',
      '并发扫描：文本块、文本文件与 performance_metrics.png',
    ),
    example(
      'dyno as evalscope perf --api openai --url http://127.0.0.1:8000/v1/chat/completions --model qwen --dataset openqa --dataset-path open_qa.jsonl --parallel 10 -n 100',
      "evalscope's own words",
      'evalscope 自己的参数',
    ),
    example(
      'dyno as --lenient vllm bench serve --model qwen --dataset-name random --num-prompts 100',
      'in a script that takes any other exit code for a crash',
      '用于把非零退出码当作崩溃的脚本',
    ),
  ],
  run(given) {
    const { tool, rest } = findTool(given.args);
    if (rest.includes('--help') || rest.includes('-h')) return Promise.resolve(showFlags(given, tool.table));
    return tool.run(rest, given);
  },
};

function showFlags(given: ParsedCommand, table: ForeignTable): number {
  const { lang } = given.common;
  const section = (title: string, flags: readonly string[]): string =>
    flags.length === 0 ? '' : `\n${title}\n${flags.map((name) => `  ${name}`).join('\n')}\n`;
  const spelled = Object.entries(table.alias ?? {});
  given.io.out(
    [
      `dyno as ${[table.tool, ...(table.positional ?? [])].join(' ')} …\n`,
      section(
        say({ en: 'obeyed:', zh: '生效的选项：' }, lang),
        Object.keys(table.supported).map((name) =>
          [name, ...spelled.filter(([, of]) => of === name).map(([other]) => other)].join(', '),
        ),
      ),
      section(say({ en: 'taken, without effect:', zh: '接受但不起作用：' }, lang), Object.keys(table.ignored ?? {})),
      section(say({ en: 'refused:', zh: '不支持：' }, lang), Object.keys(table.rejected ?? {})),
    ].join(''),
  );
  return exitCodes.ok;
}
