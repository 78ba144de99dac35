import type { Phrase } from '../../core/index.ts';
import type { TuneFile } from './tune-file-schema.ts';

/** How the server under test is changed, started, known to be ready, and stopped; or the command that does it all. */
export interface ServerWords {
  configs: { file: string; set: Readonly<Record<string, string>>; create: boolean }[];
  /** Setting → environment variable. */
  env: Readonly<Record<string, string>>;
  script: string | null;
  start: StartWords | null;
  /** address: where it is measured; asked where neither a page nor a line of its log says that it is ready. Absent = nowhere. */
  ready: { url: string | null; log: string | null; logFile: string | null; timeoutMs: number; address?: string };
  evaluate: { command: string; timeoutMs: number; cwd: string | null } | null;
}

/** One of the ways a server is started. */
export interface StartWords {
  kind: 'command' | 'script' | 'docker' | 'systemd' | 'ssh';
  /** Shell text with `{flags}` and `{NAME}` to fill in; a unit's name for systemd. */
  text: string;
  /** Shell text; null = the process is ended by its pid. */
  stop: string | null;
  cwd: string | null;
  env: Readonly<Record<string, string>>;
  stopTimeoutMs: number;
}

type Wrong = (path: readonly PropertyKey[], message: Phrase, hint: Phrase, code?: string) => void;

const msPer = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const defaults = { readyMs: 600_000, stopMs: 60_000, evaluateMs: 3_600_000 } as const;

/** Milliseconds of a number of seconds or a text with a unit. */
export function durationMs(value: number | string | undefined, fallbackMs: number): number {
  if (value === undefined) return fallbackMs;
  if (typeof value === 'number') return value * 1000;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(value) ?? [];
  return Number(digits) * msPer[unit as keyof typeof msPer];
}

/** Reads the parts of a tune file that are about the server, and says what does not go together. */
export function serverWordsOf(words: TuneFile, wrong: Wrong): ServerWords {
  const evaluate = typeof words.evaluate === 'string' ? { command: words.evaluate } : words.evaluate;
  if (evaluate !== undefined && (words.start !== undefined || words.apply !== undefined)) {
    wrong(
      ['evaluate'],
      {
        en: 'does everything itself: start and apply beside it have no meaning',
        zh: 'evaluate 自行完成全部工作，不能与 start、apply 同用',
      },
      { en: 'Leave out either evaluate, or start and apply.', zh: '请去掉 evaluate，或去掉 start 与 apply。' },
    );
  }
  if (evaluate === undefined && words.url === undefined) {
    wrong(
      ['url'],
      { en: 'where is the server? neither url nor evaluate is given', zh: '未给出服务器：缺少 url 或 evaluate' },
      { en: 'Add url: http://127.0.0.1:8000.', zh: '请添加 url: http://127.0.0.1:8000。' },
    );
  }
  const start = startOf(words, wrong);
  const apply = words.apply ?? {};
  if (start === null && evaluate === undefined && (apply.config ?? []).length > 0) {
    wrong(
      ['start'],
      {
        en: 'a config that is edited only counts after a restart, and nothing says how to start the server',
        zh: '修改配置后需重启，但未说明如何启动服务器',
      },
      {
        en: 'Add start: with command, script, docker, systemd or ssh.',
        zh: '请添加 start:，使用 command、script、docker、systemd 或 ssh。',
      },
    );
  }
  return {
    configs: (apply.config ?? []).map(({ file, set, create }) => ({ file, set, create: create ?? false })),
    env: apply.env ?? {},
    script: apply.script ?? null,
    start,
    ready: {
      url: words.ready?.url ?? null,
      log: words.ready?.log ?? null,
      logFile: words.ready?.logFile ?? null,
      timeoutMs: durationMs(words.ready?.timeout, defaults.readyMs),
      ...(words.url !== undefined && URL.canParse(words.url) && { address: new URL(words.url).origin }),
    },
    evaluate:
      evaluate === undefined
        ? null
        : {
            command: evaluate.command,
            timeoutMs: durationMs(evaluate.timeout, defaults.evaluateMs),
            cwd: evaluate.cwd ?? null,
          },
  };
}

function startOf({ start }: TuneFile, wrong: Wrong): StartWords | null {
  if (start === undefined) return null;
  const kinds = (['script', 'docker', 'systemd'] as const).filter((kind) => start[kind] !== undefined);
  const command = start.command !== undefined;
  if (kinds.length + Number(command) !== 1 || (start.ssh !== undefined && !command)) {
    wrong(
      ['start'],
      {
        en: 'needs exactly one of command, script, docker, systemd (ssh goes with command)',
        zh: '需要且只需要 command、script、docker、systemd 之一（ssh 与 command 同用）',
      },
      {
        en: 'For example start: {command: "vllm serve MODEL {flags}"}.',
        zh: '例如 start: {command: "vllm serve MODEL {flags}"}。',
      },
    );
    return null;
  }
  const kind = start.ssh !== undefined ? 'ssh' : (kinds[0] ?? 'command');
  if ((kind === 'script' || kind === 'ssh') && start.stop === undefined) {
    wrong(
      ['start', 'stop'],
      { en: `a server started by ${kind} can only be stopped by a command`, zh: `以 ${kind} 启动的服务器需要停止命令` },
      { en: 'Add stop: with a shell command that ends it.', zh: '请添加 stop:，给出停止它的命令。' },
    );
  }
  const remote = (text: string): string => `ssh -o BatchMode=yes ${shellWord(start.ssh!)} ${shellWord(text)}`;
  const text = start.command ?? start.script ?? start.docker ?? start.systemd!;
  const stop = start.stop ?? null;
  return {
    kind,
    text: kind === 'ssh' ? remote(text) : text,
    stop: kind === 'ssh' && stop !== null ? remote(stop) : stop,
    cwd: start.cwd ?? null,
    env: start.env ?? {},
    stopTimeoutMs: durationMs(start.stopTimeout, defaults.stopMs),
  };
}

/**
 * A setting's value where it stands alone in a command: the words that it is made of, each safe; quotes keep blanks together.
 * `numactl -N0 -m0` is three words, nothing is none.
 */
export function shellWords(text: string): string {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words
    .map((word) => shellWord(word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, a?: string, b?: string) => a ?? b ?? '')))
    .join(' ');
}

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
