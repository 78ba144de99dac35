import { writeFileSync } from 'node:fs';
import { exitCodes, say, userError } from '../../core/index.ts';
import type { Place } from '../../core/index.ts';
import { cards, gibBytes, knownModels, numberFormatOf } from '../../inputs/hardware/index.ts';
import {
  blocksInServerLog,
  cardsOfHost,
  checkMindieConfig,
  checkVllm,
  emitProfile,
  emitSglang,
  emitVllm,
  mindiePatch,
  planDocument,
  renderCheck,
  renderPlan,
  settingsInServerLog,
  withPatch,
} from '../../advice/plan/index.ts';
import type { PlanAsked, PlanCheck, PlanDocument, ServeTarget } from '../../advice/plan/index.ts';
import { capacitySettings } from '../capacity-flags.ts';
import { hostFiles, makeScraper, readHostDevices } from '../../client/telemetry/index.ts';
import { example, jsonText, makeCommand, printJson, settingsIn } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { paddedRows } from '../terminal.ts';
import { anyText, flag, one, oneOf, readBeginning, readJson, weightsInFolder } from '../../lab/index.ts';
import type { SettingsOf } from '../../lab/index.ts';

const mostConfigBytes = 10 * 1024 * 1024;
const mostLogBytes = 64 * 1024 * 1024;

const flags = {
  modelConfig: one(
    'model-config FILE',
    modelFile,
    'a config.json in the Hugging Face layout',
    'Hugging Face 格式的 config.json',
  ),
  ...capacitySettings,
  weights: one('weights DIR', weightsFolder, 'measure the weights in this folder', '实测该目录下的权重大小'),
  serverLog: one(
    'server-log FILE',
    serverLog,
    'take the real block count and the batch limits from a server’s log',
    '从服务端日志读取实际 block 数与批上限',
  ),
  formula: one(
    'formula right|guide',
    oneOf(['right', 'guide']),
    'guide: set the MindIE guide’s arithmetic beside ours',
    'guide：同时给出 MindIE 指南的算法并说明差别',
  ),
  emit: one(
    'emit mindie|vllm|sglang|profile',
    oneOf(['mindie', 'vllm', 'sglang', 'profile']),
    'write a config.json patch, a vllm or sglang command line, or an engine profile for dyno sim and dyno engine',
    '输出 config.json 补丁、vllm 或 sglang 启动命令，或供 dyno sim、dyno engine 使用的引擎配置',
  ),
  template: one(
    'template FILE',
    anyText,
    'with --emit mindie: the whole file, from this one',
    '配合 --emit mindie：以此文件为模板输出完整配置',
  ),
  modelPath: one(
    'model-path PATH',
    anyText,
    'with --emit: where the weights lie on the server',
    '配合 --emit：服务器上的权重路径',
  ),
  out: one('out FILE', anyText, 'write what is emitted there', '把输出写入文件'),
  check: one(
    'check FILE|URL',
    anyText,
    'list what is wrong, risky or slow in a MindIE config.json, or in a running vLLM by its log, its metrics page or its address',
    '列出 MindIE config.json 中，或运行中 vLLM（日志、指标页或地址）的错误、风险和拖慢性能之处',
  ),
  lenient: flag('lenient', 'with --check: exit 0 even where something is wrong', '配合 --check：有错误也以 0 退出'),
  list: one(
    'list models|cards',
    oneOf(['models', 'cards']),
    'what is known, with its source',
    '列出已收录的模型或卡及其来源',
  ),
};

type Asked = SettingsOf<typeof flags>;

export const command = makeCommand({
  about: {
    en: 'From a model, cards and request lengths to memory, KV blocks, batch sizes and server settings; checks an existing config.json.',
    zh: '由模型、加速卡和请求长度得出显存、KV block、批大小与服务配置；也可检查已有的 config.json。',
  },
  arguments: [],
  flags,
  examples: [
    example(
      'dyno plan --model llama-3-8b --card 910b4-32g --cards 2 --input-tokens 186 --output-tokens 346 --max-output-tokens 512',
      'what fits, and what to set',
      '能放下多少，该怎么配',
    ),
    example(
      'dyno plan --model-config /weights/QwQ-32B/config.json --weights /weights/QwQ-32B --card 910b3 --cards 4 --formula guide',
      'from the weights you have, beside the MindIE guide',
      '用本地权重，并与 MindIE 指南对照',
    ),
    example(
      'dyno plan --model qwen2-72b --card 910b4 --cards 8 --goal decode-limit --decode-limit 50ms --emit mindie --template config.json --out new.json',
      'a whole config.json under a limit on decoding',
      '在解码时延限制下生成完整 config.json',
    ),
    example('dyno plan --check config.json', 'what is wrong with the one you have', '检查已有的配置'),
    example(
      'dyno plan --check vllm.log --model qwen2.5-7b --card h200 --cards 1',
      'what a running vLLM says of itself, beside a plan',
      '对照规划检查运行中的 vLLM',
    ),
  ],
  async run(given, asked) {
    if (asked.list !== undefined) return listKnown(given, asked.list);
    if (asked.check !== undefined) return checkServer(given, asked.check, asked);
    const plan = planDocument(await withHostCards(given, questionOf(given, asked)));
    if (asked.emit !== undefined) return emitPlan(given, plan, asked.emit, asked);
    given.io.out(given.common.json ? jsonText(plan) : renderPlan(plan, given.common.lang, asked.formula === 'guide'));
    return exitCodes.ok;
  },
});

function modelFile(file: string): Pick<PlanAsked, 'modelConfig' | 'modelConfigFile'> {
  return { modelConfig: readJson(file, mostConfigBytes, {}).json, modelConfigFile: file };
}

function weightsFolder(folder: string): { folder: string; gib: number } {
  return { folder, gib: weightsInFolder(folder, {}) / gibBytes };
}

function serverLog(file: string): { file: string; text: string } {
  return { file, text: readBeginning(file, mostLogBytes, {}) };
}

/** The question as `dyno plan` puts it, with what the named files say. */
function questionOf(given: ParsedCommand, { modelConfig, weights, serverLog: log }: Asked): PlanAsked {
  const plain = settingsIn(given, capacitySettings);
  return {
    ...plain,
    ...modelConfig,
    ...(weights !== undefined && { weightsGiB: weights.gib, weightsFrom: 'folder' as const }),
    ...(log !== undefined && {
      serverBlocks: blocksIn(log, plain.blockSize ?? 128),
      serverSettings: settingsInServerLog(log.text),
    }),
  };
}

function blocksIn(
  { file, text }: { file: string; text: string },
  blockSize: number,
): NonNullable<PlanAsked['serverBlocks']> {
  const found = blocksInServerLog(text, blockSize);
  if (found !== null) return found;
  throw userError(
    'no-blocks-in-log',
    'states no block count',
    '日志中没有 block 数',
    'MindIE prints npuBlockNum or k_caches[0].shape at level Info, vLLM "# GPU blocks" or "GPU KV cache size" (CPU, NPU, XPU likewise), SGLang "max_total_num_tokens"; start the server once at that level.',
    'MindIE 在 Info 级别打印 npuBlockNum 或 k_caches[0].shape，vLLM 打印 "# GPU blocks" 或 "GPU KV cache size"（CPU、NPU、XPU 同理），SGLang 打印 "max_total_num_tokens"；请以该级别启动一次服务。',
    { flag: '--server-log', file },
  );
}

/** `--card host`: the cards that this host has; what is typed wins. */
async function withHostCards(given: ParsedCommand, asked: PlanAsked): Promise<PlanAsked> {
  if (asked.cardName !== 'host') return asked;
  const { devices } = await readHostDevices(hostFiles(), given.io.env);
  const { cardName: _, ...typed } = asked;
  return { ...cardsOfHost(devices), ...typed };
}

async function checkServer(given: ParsedCommand, named: string, asked: Asked): Promise<number> {
  // Without a model or a card there is nothing to plan, and the server is checked for itself.
  const hasRig = ['model', 'model-config', 'card', 'card-memory-gib'].some((name) => given.flags.has(name));
  const result = await checked(named, hasRig ? planDocument(questionOf(given, asked)) : null);
  given.io.out(given.common.json ? jsonText(result) : renderCheck(result, given.common.lang));
  return result.verdict.valid || asked.lenient === true ? exitCodes.ok : exitCodes.notValid;
}

/** By what stands there: an address, a JSON file, or the text of a log or metrics page. */
async function checked(named: string, plan: PlanDocument | null): Promise<PlanCheck> {
  const place: Place = { flag: '--check' };
  if (/^https?:\/\//i.test(named)) {
    if (!URL.canParse(named))
      throw userError(
        'bad-value',
        'is not an address',
        '不是有效的地址',
        'For example: http://127.0.0.1:8000.',
        '例如：http://127.0.0.1:8000。',
        place,
      );
    // A name and a password in the address are shown nowhere.
    const { origin } = new URL(named);
    return checkVllm(await metricsOf(origin, place), { file: origin, plan });
  }
  const text = readBeginning(named, mostLogBytes, place);
  if (!text.trimStart().startsWith('{')) return checkVllm(text, { file: named, plan });
  const { json, mode } = readJson(named, mostConfigBytes, place);
  return checkMindieConfig(json, { file: named, mode: process.platform === 'win32' ? null : mode, plan });
}

/** The metrics page of a running server. */
async function metricsOf(origin: string, place: Place): Promise<string> {
  const scraper = makeScraper({}, false);
  try {
    const page = `${origin}/metrics`;
    const { status, body, failure } = await scraper.ask(page, 5000);
    if (status === 200) return body;
    const why = failure ?? `HTTP ${status}`;
    throw userError(
      'no-metrics-page',
      `${page} gave no metrics page (${why})`,
      `${page} 没有返回指标页（${why}）`,
      'Give the log of the server instead.',
      '请改用服务端日志。',
      place,
    );
  } finally {
    scraper.close();
  }
}

function emitPlan(given: ParsedCommand, plan: PlanDocument, kind: NonNullable<Asked['emit']>, asked: Asked): number {
  const text = {
    mindie: () => mindieText(given, plan, asked),
    vllm: () => emitVllm(plan, serveTarget(plan, asked)),
    sglang: () => emitSglang(plan, serveTarget(plan, asked)),
    profile: () => jsonText(emitProfile(plan, new Date().toISOString().slice(0, 10))),
  }[kind]();
  if (asked.out === undefined) given.io.out(text);
  else writeOut(asked.out, text);
  return exitCodes.ok;
}

function serveTarget(plan: PlanDocument, { kvFormat: kv, modelPath, weights }: Asked): ServeTarget {
  const known = knownModels.find((model) => model.name === plan.model.name);
  const format = kv === undefined ? null : numberFormatOf(kv);
  const model = modelPath ?? weights?.folder ?? known?.huggingFace ?? plan.model.name;
  return { model, kvFormat: format === null || format === 'bfloat16' || format === 'float16' ? null : format };
}

function mindieText(given: ParsedCommand, plan: PlanDocument, { template, modelPath: path }: Asked): string {
  const patch = mindiePatch(plan);
  if (template === undefined) return jsonText(patch);
  const { json } = readJson(template, mostConfigBytes, { flag: '--template' });
  const own =
    path === undefined ? {} : { BackendConfig: { ModelDeployConfig: { ModelConfig: [{ modelWeightPath: path }] } } };
  const whole = withPatch(withPatch(json, patch), own);
  const check = checkMindieConfig(whole, { file: template, mode: null, plan });
  if (check.verdict.findings.length > 0 && !given.common.quiet) given.io.err(renderCheck(check, given.common.lang));
  return jsonText(whole);
}

function writeOut(file: string, text: string): void {
  try {
    // MindIE refuses configs that others may read.
    writeFileSync(file, text, { mode: 0o640 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error';
    throw userError(
      'file-unwritable',
      `cannot be written (${code})`,
      `无法写入（${code}）`,
      'Check the folder and its permissions.',
      '请检查目录与权限。',
      { flag: '--out', file },
    );
  }
}

function listKnown(given: ParsedCommand, kind: NonNullable<Asked['list']>): number {
  const { json, lang } = given.common;
  if (json) {
    const models = knownModels.map(({ shape: _shape, ...rest }) => rest);
    printJson(given, kind === 'models' ? { schema: 'llmdyno.models/1', models } : { schema: 'llmdyno.cards/1', cards });
    return exitCodes.ok;
  }
  const unknown = say({ en: 'unknown', zh: '未知' }, lang);
  const rows =
    kind === 'models'
      ? knownModels.map((m) => [m.name, `${(m.statedParameters / 1e9).toPrecision(3)}B`, m.source.url])
      : cards.map((c) => [
          c.name,
          `${(c.memoryBytes / gibBytes).toFixed(1)} GiB`,
          c.memoryBytesPerSec === null ? unknown : `${c.memoryBytesPerSec / 1e9} GB/s`,
          c.fp16FlopsPerSec === null ? unknown : `${c.fp16FlopsPerSec / 1e12} TFLOPS`,
          c.label,
        ]);
  given.io.out(paddedRows(rows));
  return exitCodes.ok;
}
