import { createWriteStream, existsSync } from 'node:fs';
import { once } from 'node:events';
import { defined, exitCodes, printable, say, userError } from '../../core/index.ts';
import type { Phrase, Prompt, UserError } from '../../core/index.ts';
import {
  datasetKinds,
  getDataset,
  knownDatasets,
  madeKinds,
  openDataset,
  openTokenizer,
  recordFormats,
  surveyDataset,
} from '../../inputs/dataset/index.ts';
import type { Dataset, Spread } from '../../inputs/dataset/index.ts';
import { tableText } from '../../results/report/index.ts';
import { anyText, one, oneOf, planSettings, wholeNumber } from '../../lab/index.ts';
import type { SettingsOf } from '../../lab/index.ts';
import { argument, example, makeCommand, printJson } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { columnsOf } from '../terminal.ts';
import { lineAgain } from '../printer.ts';

const verbs = ['list', 'inspect', 'sample', 'convert', 'count', 'get'] as const;
const forms = ['openqa', 'messages', 'requests'] as const;

const flags = {
  // These mean the same here as in a run.
  field: planSettings.field,
  tokenizer: planSettings.tokenizer,
  inputTokens: planSettings.inputTokens,
  outputTokens: planSettings.outputTokens,
  seed: planSettings.seed,
  shuffle: planSettings.shuffle,
  count: one(
    'count COUNT',
    wholeNumber(1),
    'how many prompts (sample: 5; convert: all)',
    '提示词数量（sample：5；convert：全部）',
    { short: 'n' },
  ),
  as: one(
    'as FORM',
    anyText,
    `convert into ${forms.join(', ')} (default: messages)`,
    `转换为 ${forms.join('、')}（默认：messages）`,
  ),
  out: one(
    'out PATH',
    anyText,
    'convert: the new file; get: the folder (default: datasets)',
    'convert：新文件；get：目录（默认：datasets）',
  ),
  from: one(
    'from HUB',
    oneOf(['modelscope', 'huggingface']),
    'get: modelscope or huggingface only',
    'get：仅从 modelscope 或 huggingface 下载',
  ),
  mirror: one('mirror URL', anyText, 'get: host that stands in for the hub', 'get：替代站点的镜像地址'),
  sha256: one('sha256 HEX', anyText, 'get: what the file must be', 'get：文件应有的校验和'),
};

type Asked = SettingsOf<typeof flags>;

export const command = makeCommand({
  about: {
    en: 'What datasets there are, what is in one, how long its prompts are; convert one, fetch one.',
    zh: '查看可用数据集、数据内容与长度；转换、下载数据集。',
  },
  arguments: [
    argument(
      '[verb]',
      'list (default), inspect, sample, convert, count, get',
      'list（默认）、inspect、sample、convert、count、get',
    ),
    argument('[dataset]', 'KIND:FILE, a file, or a name for get', '类型:文件、文件路径，或 get 的名称'),
  ],
  flags,
  examples: [
    example('dyno dataset list', 'kinds and names', '类型与名称'),
    example('dyno dataset inspect data.jsonl.gz', 'what a file holds', '查看文件内容'),
    example(
      'dyno dataset count openqa:open_qa.jsonl --tokenizer /models/Qwen2.5-7B',
      'tokens of every prompt',
      '统计每条提示词的 token',
    ),
    example('dyno dataset get hc3-chinese', 'fetch one', '下载数据集'),
  ],
  async run(given, asked) {
    const [verb = 'list', spec] = given.args;
    if (!(verbs as readonly string[]).includes(verb))
      throw usage(`dyno dataset does not know "${verb}"`, `dyno dataset 不支持 "${verb}"`);
    if (verb === 'list') return list(given);
    if (spec === undefined) throw usage('which dataset?', '要操作哪个数据集？');
    if (verb === 'get') return get(given, spec, asked);
    const { inputTokens: input, outputTokens: output, field, tokenizer, seed, shuffle } = asked;
    const dataset = await openDataset(spec, defined({ field, tokenizer, seed, shuffle, input, output }));
    if (verb === 'sample') return sample(given, dataset, asked.count ?? 5);
    return verb === 'convert'
      ? convert(given, dataset, asked)
      : inspect(given, { spec, dataset }, asked, verb === 'count');
  },
});

function list(given: ParsedCommand): number {
  const { json, lang } = given.common;
  const kinds = { ...recordFormats, ...madeKinds };
  if (json) {
    const entries = Object.entries(kinds).map(([kind, made]) => ({
      kind,
      about: made.about.en,
      example: made.example,
    }));
    const names = Object.entries(knownDatasets).map(([name, { about, places }]) => ({ name, about: about.en, places }));
    printJson(given, { schema: 'llmdyno.datasets/1', kinds: entries, allKinds: datasetKinds, get: names });
    return exitCodes.ok;
  }
  const rows = Object.entries(kinds).map(
    ([kind, made]) => `${kind}\n    ${say(made.about, lang)}\n    ${made.example}`,
  );
  const more = [
    `continuation[:FILE]\n    ${say({ en: 'a text cut into pieces of --input-tokens characters, to be continued for about --output-tokens characters', zh: '将文本切成 --input-tokens 个字符的片段，要求续写约 --output-tokens 个字' }, lang)}`,
    `mix:3*A + 1*B\n    ${say({ en: 'several datasets by weight', zh: '按权重混合多个数据集' }, lang)}`,
    `builtin:questions\n    ${say({ en: '120 questions that ship with llmdyno (default)', zh: '内置的 120 个问题（默认）' }, lang)}`,
  ];
  const names = Object.entries(knownDatasets).map(([name, { about, use }]) => [name, say(about, lang), use]);
  given.io.out(
    `${[...rows, ...more].join('\n')}\n\n${say({ en: 'To be fetched with dyno dataset get NAME', zh: '可用 dyno dataset get 名称 下载' }, lang)}\n${tableText(['', '', ''], names, columnsOf(given.io))}\n`,
  );
  given.io.out(
    `${say({ en: 'JSON lines, JSON arrays, CSV and Parquet are told apart by content; gzip and zstd are unpacked on the way.', zh: 'JSON 行、JSON 数组、CSV、Parquet 按内容识别；gzip、zstd 边读边解压。' }, lang)}\n`,
  );
  return exitCodes.ok;
}

async function inspect(
  given: ParsedCommand,
  { spec, dataset }: { spec: string; dataset: Dataset },
  { tokenizer: folder, count: most = Infinity }: Asked,
  counting: boolean,
): Promise<number> {
  const { json, lang } = given.common;
  if (counting && folder === undefined) throw usage('count needs --tokenizer DIR', 'count 需要 --tokenizer 目录');
  const tokenizer = folder === undefined ? null : await openTokenizer(folder);
  const survey = await surveyDataset(dataset, tokenizer, { most, lang: json ? 'en' : lang });
  const facts = dataset.facts({ offset: 0, count: null });
  if (json) {
    printJson(given, { schema: 'llmdyno.dataset/1', ...facts, ...survey });
    return survey.wrong === 0 ? exitCodes.ok : exitCodes.usage;
  }
  const rowsOfFacts: [Phrase, string][] = [
    [{ en: 'kind', zh: '类型' }, facts.kind],
    [{ en: 'name', zh: '名称' }, facts.name],
    [{ en: 'size', zh: '大小' }, facts.bytes === null ? '–' : `${(facts.bytes / 1e6).toFixed(1)} MB`],
    [{ en: 'content hash', zh: '内容哈希' }, facts.hash ?? '–'],
    [
      { en: 'prompts', zh: '提示词' },
      `${survey.prompts}${survey.endless ? say({ en: ' looked at (made, never ends)', zh: ' 条已查看（按需生成，无上限）' }, lang) : ''}`,
    ],
    ...Object.entries(survey.skipped).map(([why, count]): [Phrase, string] => [
      { en: 'left out', zh: '筛除' },
      `${count}: ${why}`,
    ]),
    ...(survey.wrong === 0
      ? []
      : [[{ en: 'wrong records', zh: '错误记录' }, String(survey.wrong)] as [Phrase, string]]),
  ];
  given.io.out(`${rowsOfFacts.map(([name, value]) => `${say(name, lang)}: ${value}`).join('\n')}\n`);
  const spreads: [Phrase, Spread | null][] = [
    [{ en: 'prompt characters', zh: '提示词字符' }, survey.chars],
    [{ en: 'prompt tokens', zh: '提示词 token' }, survey.tokens],
    [{ en: 'answer tokens planned', zh: '计划回答 token' }, survey.answerTokens],
  ];
  const rows = spreads.flatMap(([name, spread]) => (spread === null ? [] : [[say(name, lang), ...figures(spread)]]));
  const head = ['', 'n', 'mean', 'min', 'p50', 'p90', 'p99', 'max', 'total'];
  given.io.out(`${tableText(head, rows, columnsOf(given.io))}\n`);
  for (const mistake of survey.mistakes) given.io.err(`${printable(spec)}:${printable(mistake)}\n`);
  return survey.wrong === 0 ? exitCodes.ok : exitCodes.usage;
}

function figures(spread: Spread): string[] {
  const shown = (value: number | null): string => (value === null ? '–' : String(Math.round(value * 10) / 10));
  return [
    String(spread.n),
    ...[spread.mean, spread.min, spread.p50, spread.p90, spread.p99, spread.max, spread.total].map(shown),
  ];
}

async function sample(given: ParsedCommand, dataset: Dataset, count: number): Promise<number> {
  const workload = dataset.workload(0);
  const prompts: Prompt[] = [];
  for (let i = 0; i < count; i++) {
    const prompt = await workload.next();
    if (prompt !== null) prompts.push(prompt);
  }
  if (given.common.json) {
    printJson(given, { schema: 'llmdyno.dataset-sample/1', prompts });
    return exitCodes.ok;
  }
  for (const { id, messages, maxTokens, inputTokens } of prompts) {
    const facts = [
      id,
      inputTokens === null
        ? null
        : say({ en: `${inputTokens} tokens in`, zh: `输入 ${inputTokens} token` }, given.common.lang),
      maxTokens === null ? null : say({ en: `≤ ${maxTokens} out`, zh: `输出 ≤ ${maxTokens}` }, given.common.lang),
    ];
    const said = messages.map(
      ({ role, content }) =>
        `${role}: ${printable(typeof content === 'string' ? content : JSON.stringify(content)).slice(0, 400)}`,
    );
    given.io.out(`[${facts.filter((fact) => fact !== null).join(', ')}]\n${said.join('\n')}\n\n`);
  }
  return exitCodes.ok;
}

async function convert(
  given: ParsedCommand,
  dataset: Dataset,
  { as = 'messages', out, count }: Asked,
): Promise<number> {
  if (!(forms as readonly string[]).includes(as))
    throw usage(
      `cannot convert into "${as}"; into ${forms.join(', ')}`,
      `无法转换为 "${as}"；可选 ${forms.join('、')}`,
    );
  const most = count ?? null;
  if (out === undefined) throw usage('where to? --out FILE', '写到哪里？--out 文件');
  if (existsSync(out)) throw usage(`${printable(out)} exists already`, `${printable(out)} 已存在`);
  if (dataset.survey === undefined && most === null)
    throw usage('made prompts never end: say -n COUNT', '生成的提示词没有尽头：请用 -n 指定数量');
  const stream = createWriteStream(out, { flags: 'wx' });
  await once(stream, 'open');
  let written = 0;
  for await (const prompt of promptsOf(dataset, most)) {
    written += 1;
    if (!stream.write(`${JSON.stringify(lineOf(prompt, as))}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
  given.io.out(given.common.json ? `${JSON.stringify({ file: out, prompts: written })}\n` : `${written} → ${out}\n`);
  return exitCodes.ok;
}

async function* promptsOf(dataset: Dataset, most: number | null): AsyncGenerator<Prompt> {
  let given = 0;
  if (dataset.survey !== undefined) {
    for await (const record of dataset.survey()) {
      if ('mistake' in record)
        throw usage(`line ${record.line}: ${record.mistake.en}`, `第 ${record.line} 行：${record.mistake.zh}`);
      if (!('prompt' in record)) continue;
      if (given++ >= (most ?? Infinity)) return;
      yield record.prompt;
    }
    return;
  }
  const workload = dataset.workload(0);
  while (given++ < (most ?? 0)) yield (await workload.next())!;
}

function lineOf({ messages, text, maxTokens, body }: Prompt, as: string): unknown {
  if (as === 'messages') return { messages };
  if (as === 'requests') return { messages, ...(maxTokens !== null && { max_tokens: maxTokens }), ...body };
  const lastSaid = messages.at(-1)?.content;
  return { question: text ?? (typeof lastSaid === 'string' ? lastSaid : JSON.stringify(lastSaid)) };
}

async function get(given: ParsedCommand, name: string, { out, mirror, from, sha256 }: Asked): Promise<number> {
  const { io, common } = given;
  let toldMiB = -1;
  const got = await getDataset(name, {
    folder: out ?? 'datasets',
    mirror: mirror ?? (io.env['HF_ENDPOINT'] || null),
    from: from ?? null,
    sha256: sha256?.toLowerCase() ?? null,
    onProgress: (bytes, total) => {
      const mib = Math.floor(bytes / 1_048_576);
      if (common.quiet || !io.errIsTty || mib === toldMiB) return;
      toldMiB = mib;
      io.err(`${lineAgain}${mib} MiB${total === null ? '' : ` / ${Math.ceil(total / 1_048_576)} MiB`} `);
    },
  });
  if (common.json) printJson(given, { schema: 'llmdyno.dataset-get/1', ...got });
  else {
    const checked = got.verified
      ? say({ en: 'checked', zh: '已校验' }, common.lang)
      : say({ en: 'nothing to check it against', zh: '无可比对的校验和' }, common.lang);
    io.out(`${got.file}  ${got.bytes} bytes  sha256 ${got.sha256} (${checked})\n${got.use}\n`);
  }
  return exitCodes.ok;
}

function usage(en: string, zh: string): UserError {
  return userError('usage', en, zh, 'dyno dataset --help shows how.', 'dyno dataset --help 查看用法。');
}
