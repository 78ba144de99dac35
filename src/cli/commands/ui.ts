import { statSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exitCodes, userError } from '../../core/index.ts';
import { anyText, flag, many, one, portNumber, redisPlace, workerSettings } from '../../lab/index.ts';
import type { GivenSetting } from '../../lab/index.ts';
import { readAppFiles, startUi } from '../../web/index.ts';
import type { RunningUi } from '../../web/index.ts';
import { example, makeCommand, remark, settingsIn, typedSettings } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { tellBug } from '../tell-bug.ts';
import { tokenOf } from '../token-file.ts';

const defaultPort = 4477;
const loopback = '127.0.0.1';

/** Whose machines do what is started from the page; a page cannot name others. */
const workersOfPage = {
  workers: workerSettings.workers,
  queue: workerSettings.queue,
  minWorkers: workerSettings.minWorkers,
};

export const command = makeCommand({
  about: {
    en: 'A page over the store in your browser: runs, sweeps and comparisons with their charts, live runs, capacity plans, simulations and searches. Served on this machine only, unless --host is given.',
    zh: '在浏览器中查看存储：运行、扫描、对比及图表，实时运行，容量规划，模拟与调优。默认仅本机可访问，除非给出 --host。',
  },
  arguments: [],
  flags: {
    port: one(
      'port PORT',
      portNumber,
      `port (default: ${defaultPort}; 0 = any free one)`,
      `端口（默认：${defaultPort}；0 表示任选空闲端口）`,
    ),
    host: one(
      'host ADDRESS',
      anyText,
      `address to listen on (default: ${loopback}); any but loopback is reached from other machines`,
      `监听地址（默认：${loopback}）；非本机地址可从其他机器访问`,
    ),
    allowTarget: many(
      'allow-target HOST[:PORT]',
      anyText,
      'runs may be started only against these, repeatable; with --host none may be started without it',
      '只允许对这些目标启动运行，可重复；使用 --host 时不给出则不能启动运行',
    ),
    allowKeyEnv: many(
      'allow-key-env NAME',
      anyText,
      'environment variable that runs started from the page may send as a key, repeatable (default: none)',
      '从页面启动的运行可用作密钥的环境变量，可重复（默认：无）',
    ),
    tokenFile: one(
      'token-file FILE',
      anyText,
      'keep the token of the page in this file, made where it is missing, so that it stays the same; the printed address is without it then',
      '把页面的令牌保存在此文件中（没有则创建），重启后不变；此时打印的网址不含令牌',
    ),
    datasets: one(
      'datasets DIR',
      existingFolder,
      'files directly in this folder may be used as datasets of runs started from the page (default: none)',
      '此文件夹中的文件可作为从页面启动的运行的数据集（默认：无）',
    ),
    ...workersOfPage,
    open: flag('open', 'open the browser', '打开浏览器'),
    noOpen: flag(
      'no-open',
      'do not open the browser (default: opened on a desktop, from a terminal)',
      '不打开浏览器（默认：在桌面终端中打开）',
    ),
  },
  examples: [
    example('dyno ui', 'look at what ./dyno-runs holds', '查看 ./dyno-runs 中的结果'),
    example(
      'dyno ui --workers redis://10.0.0.5:6379 --min-workers 4',
      'what is started from the page is done by these machines',
      '从页面启动的任务由这些机器执行',
    ),
    example(
      'dyno ui --host 0.0.0.0 --allow-target 10.0.0.7:8000',
      'from other machines too: open the printed address; runs only against that server',
      '其他机器也可访问：打开打印的网址；只能对该服务器启动运行',
    ),
  ],
  async run(given, { port = defaultPort, host = loopback, datasets = null, tokenFile, ...asked }) {
    const options = {
      workers: await checkedWorkers(given),
      host,
      port,
      allowedTargets: asked.allowTarget ?? null,
      datasets,
      keyVariables: keyVariablesOf(given, asked.allowKeyEnv ?? []),
      token: tokenFile === undefined ? null : tokenOf(tokenFile),
      files: await readAppFiles(new URL('../web/', import.meta.url)),
      store: given.common.store,
      lang: given.common.lang,
      tell: (error: unknown): void => tellBug(error, given.io, given.common.lang),
    };
    const ui = await listening(() => startUi(options), host, port);
    const { io, common } = given;
    const printed = tokenFile === undefined ? ui.url : ui.address;
    io.out(common.json ? `${JSON.stringify({ schema: 'llmdyno.ui/1', url: printed })}\n` : `${printed}\n`);
    if (!common.json) {
      if (tokenFile !== undefined)
        remark(
          given,
          'open it as ADDRESS?token=…, with what stands in the token file',
          '请以 网址?token=… 打开，令牌见令牌文件',
        );
      remark(given, 'Ctrl-C ends the page; runs go on', '按 Ctrl-C 关闭页面；运行会继续');
    }
    const closeFile = wantsBrowser(given) ? openPrivately(ui.url) : () => {};
    await new Promise<void>((resolve) => {
      const done = io.onInterrupt(() => {
        done();
        resolve();
      });
    });
    closeFile();
    await ui.close();
    return exitCodes.ok;
  },
});

/** The settings that every run, sweep and simulation of the page gets; what is wrong with them is told before it is up. */
async function checkedWorkers(given: ParsedCommand): Promise<GivenSetting[]> {
  const { workers } = settingsIn(given, workersOfPage);
  if (workers !== undefined) {
    const { shown } = await import('../../client/cluster/index.ts');
    shown(redisPlace(workers, given.io.env));
  }
  return typedSettings(given, workersOfPage);
}

/** Names that are set; a name is not repeated in the error, because a key is easily typed in its place. */
function keyVariablesOf({ io }: ParsedCommand, names: readonly string[]): readonly string[] {
  const isSet = (name: string): boolean => (io.env[name] ?? '') !== '';
  if (names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && isSet(name))) return names;
  throw userError(
    'bad-value',
    'names an environment variable that is not set',
    '所指的环境变量未设置',
    'Give the name of the variable, not the key: export NAME=… and then --allow-key-env NAME.',
    '请给出变量名而非密钥：先 export NAME=…，再用 --allow-key-env NAME。',
    '--allow-key-env',
  );
}

function existingFolder(dir: string): string {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return dir;
  throw userError(
    'bad-value',
    `"${dir.slice(0, 200)}" is not a folder`,
    `"${dir.slice(0, 200)}" 不是文件夹`,
    'Name the folder that holds the files.',
    '请给出存放文件的文件夹。',
  );
}

async function listening(start: () => Promise<RunningUi>, host: string, port: number): Promise<RunningUi> {
  try {
    return await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw userError(
        'bad-value',
        `port ${port} is taken`,
        `端口 ${port} 已被占用`,
        'Perhaps by another dyno ui. Choose one, or any free one: --port 0.',
        '可能已有 dyno ui 在运行。请换一个，或用 --port 0。',
        '--port',
      );
    if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND')
      throw userError(
        'bad-value',
        `cannot listen on ${host.slice(0, 60)}:${port} (${code})`,
        `无法监听 ${host.slice(0, 60)}:${port}（${code}）`,
        'Give an address of this machine, or 0.0.0.0 for all of them.',
        '请给出本机地址，或 0.0.0.0 表示全部。',
        '--host',
      );
    throw error;
  }
}

/** A desktop is there where a display is named; on macOS and Windows it always is. */
function wantsBrowser({ flags, io, common }: ParsedCommand): boolean {
  if (flags.has('no-open')) return false;
  if (flags.has('open')) return true;
  const desktop = process.platform !== 'linux' || Boolean(io.env['DISPLAY'] ?? io.env['WAYLAND_DISPLAY'] ?? undefined);
  return io.outIsTty && !common.json && !common.quiet && desktop && io.env['CI'] === undefined;
}

/**
 * Opens an address that holds a secret in the browser, by a file that only this user can read: every user of the host
 * sees the words a process was started with. Returns how to take the file away.
 */
function openPrivately(url: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'dyno-open-'));
  const file = join(folder, 'open.html');
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`, { mode: 0o600 });
  const place = pathToFileURL(file).href;
  const openers: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ['open', [place]],
    win32: ['cmd', ['/c', 'start', '', place.replaceAll('&', '^&')]],
  };
  const [program, args] = openers[process.platform] ?? ['xdg-open', [place]];
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  // The address is printed: whoever has no opener opens it by hand.
  child.once('error', () => {});
  child.unref();
  return () => rmSync(folder, { recursive: true, force: true });
}
