// docs/reference/commands.md and commands.zh.md: every command, its arguments, flags and examples.
import { cell, code, generated, page, table } from './markdown.mjs';

const words = {
  title: { en: '# Commands', zh: '# 命令' },
  intro: {
    en: 'What `dyno COMMAND --help` says, on one page. Flags of `run` and `sweep` are also the words of a plan file (`dyno run plan.yaml`). Durations take `ms s m h`, a bare number is seconds. [中文](commands.zh.md)',
    zh: '即 `dyno 命令 --help` 的全部内容。`run` 与 `sweep` 的参数同样可写在计划文件中（`dyno run plan.yaml`）。时长单位为 `ms s m h`，只写数字表示秒。[English](commands.md)',
  },
  flag: { en: 'flag', zh: '参数' },
  argument: { en: 'argument', zh: '位置参数' },
  meaning: { en: 'meaning', zh: '含义' },
  repeat: { en: ' (may be repeated)', zh: '（可重复）' },
};

export function commandsPage({ argumentTitle, commandFiles, commonFlags, flagTitle, helpWords }, lang) {
  const flagRow = (flag) => [
    code(flagTitle(flag)),
    cell(flag.help[lang]) + (flag.repeat === undefined ? '' : words.repeat[lang]),
  ];
  const flagRows = (flags) => Object.values(flags).map(flagRow);
  const flagTitles = [words.flag[lang], words.meaning[lang]];
  const sections = Object.entries(commandFiles).map(([name, file]) =>
    page(
      `## dyno ${name}`,
      file.about[lang],
      `\`${['dyno', name, ...file.arguments.map(argumentTitle)].join(' ')}\``,
      table(
        [words.argument[lang], words.meaning[lang]],
        file.arguments.map((argument) => [
          code(argumentTitle(argument).replaceAll(/[[\]…]/g, '')),
          cell(argument.help[lang]),
        ]),
      ),
      table(flagTitles, flagRows(file.flags)),
      examples(file, lang),
    ).trimEnd(),
  );
  return page(
    words.title[lang],
    generated,
    words.intro[lang],
    `## ${helpWords.commonOptions[lang]}`,
    table(flagTitles, [
      ...flagRows(commonFlags),
      [code('-h, --help'), helpWords.helpFlag[lang]],
      [code('--help-all'), helpWords.helpAllFlag[lang]],
    ]),
    ...sections,
  );
}

function examples({ examples: list }, lang) {
  if (list.length === 0) return '';
  const lines = list.map(({ line, says }) => `# ${says[lang]}\n${line}`);
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
}
