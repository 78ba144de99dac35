import type { Mistake, Phrase } from '../../core/index.ts';
import { opensNoFile, recordFormats } from '../../inputs/dataset/index.ts';
import { checkSettings, isSecretHeader, planSettings, readVocabulary, sweepSettings } from '../../lab/index.ts';
import type { GivenSetting, PlanSettings } from '../../lab/index.ts';
import { builtinProfiles } from '../../engine/sim/index.ts';
import type { FormWord, StartAsk } from '../api/shapes.ts';
import { isAllowedTarget } from './allowed-target.ts';
import { Refused } from './route.ts';

/** Settings of a plan that a form may set: none of them opens a file or carries a secret of its own. */
const offered = [
  'model',
  'api',
  'key-env',
  'header',
  'dataset',
  'input-tokens',
  'output-tokens',
  'max-tokens',
  'ignore-eos',
  'no-stream',
  'temperature',
  'concurrency',
  'rate',
  'requests',
  'duration',
  'arrival',
  'ramp',
  'drop-late',
  'warmup',
  'slo',
  'seed',
  'connect-timeout',
  'ttft-timeout',
  'read-timeout',
  'timeout',
  'grid',
  'repeat',
  'same-prompts',
  'prompt-seed',
  'flush-cache',
  'pause',
  'label',
  'lenient',
  'no-text',
  'no-preflight',
  'stop-when',
  'limit',
] as const;

const sweepOnly: ReadonlySet<string> = new Set(Object.values(sweepSettings).map(({ name }) => name));
/** A server is needed for these; in virtual time there is none. */
const serverOnly: ReadonlySet<string> = new Set([
  'api',
  'key-env',
  'header',
  'no-preflight',
  'flush-cache',
  'connect-timeout',
]);
const vocabulary = { ...planSettings, ...sweepSettings };
const profileWord = 'profile';
const madeDatasets = ['builtin:questions', 'random', 'shared-prefix', 'filler', 'sonnet'];

function datasetHelp(files: ReadonlySet<string>): Phrase {
  const [made, zh] = [madeDatasets.join(', '), madeDatasets.join('、')];
  return files.size > 0
    ? {
        en: `prompts: ${made}, or a file of --datasets: FILE, openqa:FILE …`,
        zh: `提示词：${zh}，或 --datasets 文件夹中的文件：FILE、openqa:FILE 等`,
      }
    : {
        en: `prompts: ${made}; files with dyno ui --datasets DIR`,
        zh: `提示词：${zh}；使用文件请以 dyno ui --datasets 文件夹 启动`,
      };
}

function helpOf(name: string, files: ReadonlySet<string>, keys: ReadonlySet<string>): Phrase | null {
  if (name === 'dataset') return datasetHelp(files);
  if (name === 'key-env' && keys.size === 0) return keyHelp;
  return name === 'header' ? headerHelp : null;
}

const keyHelp: Phrase = {
  en: 'environment variable that holds the API key; those of dyno ui --allow-key-env NAME',
  zh: '存放 API 密钥的环境变量；须以 dyno ui --allow-key-env NAME 启动时给出',
};

const headerHelp: Phrase = {
  en: 'extra request header without a secret; an API key is named with key-env',
  zh: '附加请求头，不得含密钥；API 密钥请用 key-env 指定',
};

/** No file at all. */
const none: ReadonlySet<string> = new Set();

/** The words of the form, with the help of the command line. */
export function formWords(files: ReadonlySet<string> = none, keys: ReadonlySet<string> = none): FormWord[] {
  const known = Object.values(vocabulary);
  return offered.map((name) => {
    const word = known.find((one) => one.name === name)!;
    return {
      name,
      value: name === 'dataset' ? 'KIND' : word.value,
      repeat: ('repeat' in word ? word.repeat : undefined) ?? null,
      help: helpOf(name, files, keys) ?? word.help,
      choices: name === 'dataset' ? [...madeDatasets, ...files] : name === 'key-env' ? [...keys] : [],
      commands: sweepOnly.has(name)
        ? ['sweep']
        : serverOnly.has(name)
          ? ['find', 'run', 'sweep']
          : ['find', 'run', 'sweep', 'sim'],
    };
  });
}

/** An experiment that a form asks for. */
export interface Start {
  command: StartAsk['command'];
  settings: readonly GivenSetting[];
  /** The engine of a simulation; null = the default one, or a real server. */
  profile: string | null;
  /** The words behind `dyno` that would do the same. */
  shown: readonly string[];
}

/**
 * What a form asks for: every value is read by the same reader as on the command line, so all mistakes are told at once. Shown, it
 * stands as `--name=value`, so that none can become another flag. `files` are the only
 * files that may be named, `keys` the only environment variables.
 */
export function readStart(
  ask: StartAsk,
  allowed: readonly string[] | null,
  files: ReadonlySet<string> = none,
  keys: ReadonlySet<string> = none,
): Start {
  const mistakes: Mistake[] = [];
  const flags: string[] = [];
  let profile: string | null = null;
  const given = Object.entries(ask.words).flatMap(([name, value]) => {
    const texts = (Array.isArray(value) ? value : [String(value)])
      .map((text) => text.trim())
      .filter((text) => text !== '');
    if (texts.length === 0 || value === false) return [];
    if (name === profileWord && ask.command === 'sim') {
      if (!builtinProfiles.has(texts[0]!)) mistakes.push(wrong(name, notOffered));
      profile = texts[0]!;
      flags.push(`--${profileWord}=${profile}`);
      return [];
    }
    if (!(offered as readonly string[]).includes(name)) {
      mistakes.push(wrong(name, notOffered));
      return [];
    }
    if (texts.some((text) => isPath(name, text, files))) mistakes.push(wrong(name, noFiles));
    if (name === 'key-env' && !texts.every((text) => keys.has(text))) mistakes.push(wrong(name, notAllowed));
    flags.push(...texts.map((text) => (value === true ? `--${name}` : `--${name}=${text}`)));
    return [{ name, texts, place: { flag: `--${name}` } }];
  });
  const url = ask.command === 'sim' ? null : targetOf(ask.url, allowed, mistakes);
  const typed = [...given, ...(url === null ? [] : [{ name: 'url', texts: [url], place: {} }])];
  const read = readVocabulary(vocabulary, typed);
  const settings = read.settings as PlanSettings;
  if (settings.header?.some(isSecretHeader) === true) mistakes.push(wrong('header', noSecrets));
  mistakes.push(...read.mistakes, ...checkSettings(settings));
  if (mistakes.length > 0) throw new Refused(400, mistakes);
  const shown = [ask.command, ...(url === null ? [] : [url]), ...flags];
  return { command: ask.command, settings: typed, profile, shown };
}

function targetOf(text: string | null, allowed: readonly string[] | null, mistakes: Mistake[]): string | null {
  let url: URL;
  try {
    url = new URL(/^https?:\/\//i.test(text ?? '') ? text! : `http://${text ?? ''}`);
  } catch {
    mistakes.push(wrong('url', { en: 'is not the address of a server', zh: '不是有效的服务器地址' }));
    return null;
  }
  if (url.username !== '' || url.password !== '')
    mistakes.push(wrong('url', { en: 'must hold no user and no password', zh: '不能包含用户名或密码' }));
  if (allowed !== null && !isAllowedTarget(url, allowed))
    mistakes.push(
      wrong('url', { en: 'is not among the targets of --allow-target', zh: '不在 --allow-target 允许的目标之内' }),
    );
  return url.href;
}

/** Whether a value would make the command open a file that nobody put there for it. */
function isPath(name: string, text: string, files: ReadonlySet<string>): boolean {
  if (name === 'dataset') return !opensNoFile(text) && !files.has(text) && !files.has(withoutKind(text));
  return name === 'arrival' && /trace/i.test(text);
}

function withoutKind(text: string): string {
  const colon = text.indexOf(':');
  return Object.hasOwn(recordFormats, text.slice(0, Math.max(0, colon))) ? text.slice(colon + 1) : '';
}

const notOffered: Phrase = { en: 'cannot be set from here', zh: '不能在此设置' };
const notAllowed: Phrase = {
  en: 'is not among the variables of --allow-key-env',
  zh: '不在 --allow-key-env 允许的变量之内',
};
const noFiles: Phrase = { en: 'would open a file, which is not done from here', zh: '会打开文件，此处不允许' };

const noSecrets: Phrase = {
  en: 'may hold a secret, which does not go through the page; name the variable of an API key with key-env',
  zh: '可能含有密钥，不能经由页面传递；API 密钥请用 key-env 指定环境变量',
};

function wrong(name: string, message: Phrase): Mistake {
  return {
    code: 'not-from-here',
    message,
    hint: { en: 'Use the command line for this one.', zh: '请在命令行中使用。' },
    place: { flag: name === 'url' ? 'url' : `--${name}` },
  };
}
