import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ForeignTable } from '../../src/tools/foreign-flags.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import type { RunPlan } from '../../src/core/index.ts';
import { packageRoot } from '../../src/inputs/dataset/index.ts';
import { selfSigned } from '../../src/engine/http/index.ts';
import { readExchanges } from '../../src/results/store/index.ts';
import { recordingServer } from './recording-server.ts';
import type { Recorded } from './recording-server.ts';

/** One flag of a tool: what is typed, and what must be seen of it in what was sent, printed or written. */
export interface Shown {
  flag: string;
  /** DIR, URL, HOST, PORT, TLS, SILENT and ESTIMATE stand for what the test has. */
  words: string;
  effect(ran: Ran): unknown;
  expected: unknown;
  /** left out = 0. */
  code?: number;
  /** Words instead of the tool's usual ones. */
  base?: string;
}

/** Every flag of one tool. */
export interface ShownTool {
  tool: string;
  table: ForeignTable;
  /** The words before those of a row. */
  base: string;
  rows: readonly Shown[];
}

/** What one command came to. */
export interface Ran {
  code: number;
  out: string;
  err: string;
  /** The requests of the load; those before it are left out. */
  seen: Recorded[];
  /** Everything that arrived. */
  asked: number;
  read(name: string): Promise<string>;
  list(name: string): Promise<string[]>;
  /** The plan that was kept, and when each request was due. */
  kept(): Promise<{ plan: RunPlan; dueMs: number[]; problems: (string | null)[] }>;
}

const lines = ['short', 'a question of middle length', 'a much longer question that goes on and on'];

/** Servers and files for commands of other tools. */
export interface AsRun {
  as(words: string): Promise<Ran>;
  close(): Promise<void>;
}

/** Writes the files and goes where they are. Every command has servers of its own, so that many can run at once. */
export async function asRun(): Promise<AsRun> {
  const folder = await mkdtemp(join(tmpdir(), 'llmdyno-as-'));
  await writeFiles(folder);
  const home = process.cwd();
  process.chdir(folder);
  const tls = selfSigned([]);
  return {
    as: (words) => withServers(tls, (stands, seen) => asked(words, { ...stands, DIR: folder }, seen)),
    close: () => {
      process.chdir(home);
      return Promise.resolve();
    },
  };
}

type Stands = Readonly<Record<string, string>>;

async function withServers<T>(
  tls: { cert: string; key: string },
  use: (stands: Stands, seen: Recorded[]) => Promise<T>,
): Promise<T> {
  const seen: Recorded[] = [];
  const plain = await recordingServer({ seen });
  const secure = await recordingServer({ seen, tls });
  const stands = {
    URL: plain.url,
    TLS: secure.url,
    SILENT: plain.silentUrl,
    HOST: '127.0.0.1',
    PORT: new URL(plain.url).port,
    ESTIMATE: join(packageRoot(), 'data/tokenizers/estimate'),
  };
  try {
    return await use(stands, seen);
  } finally {
    await plain.close();
    await secure.close();
  }
}

async function asked(words: string, stands: Stands & { DIR: string }, seen: Recorded[]): Promise<Ran> {
  let [out, err] = ['', ''];
  const word = (text: string): string =>
    text.replaceAll(/\b(DIR|URL|TLS|SILENT|HOST|PORT|ESTIMATE)\b/g, (name) => stands[name as keyof typeof stands]!);
  const code = await runCli({
    out: (text) => (out += text),
    err: (text) => (err += text),
    outIsTty: false,
    errIsTty: false,
    hide: () => {},
    columns: 80,
    env: { DYNO_STORE: join(stands.DIR, 'store'), LANG: 'C' },
    // How valid runs of a few milliseconds are is not asked here.
    argv: ['as', '--lenient', ...words.split(/\s+/).filter(Boolean).map(word)],
    onInterrupt: () => () => {},
  });
  return ranIn(stands.DIR, { code, out, err }, seen);
}

function ranIn(folder: string, said: Pick<Ran, 'code' | 'out' | 'err'>, all: Recorded[]): Ran {
  return {
    ...said,
    seen: all.filter(({ path, body }) => path !== '/tokenize' && !JSON.stringify(body).includes('"Hi"')),
    asked: all.length,
    read: (name) => readFile(join(folder, name), 'utf8'),
    list: (name) => readdir(join(folder, name)),
    kept: async () => {
      const sweep = /kept in (.*)\n/.exec(said.err)![1]!;
      const runs = (await readdir(sweep, { withFileTypes: true })).filter((entry) => entry.isDirectory());
      const dir = join(sweep, runs.map(({ name }) => name).toSorted()[0]!);
      const { plan } = JSON.parse(await readFile(join(dir, 'plan.json'), 'utf8')) as { plan: RunPlan };
      const ended: { seq: number; dueMs: number; problem: { code: string } | null }[] = [];
      for await (const exchange of readExchanges({ dir })) if (!exchange.warmup) ended.push(exchange);
      ended.sort((a, b) => a.seq - b.seq);
      return {
        plan,
        dueMs: ended.map(({ dueMs }) => dueMs),
        problems: ended.map(({ problem }) => problem?.code ?? null),
      };
    },
  };
}

async function writeFiles(folder: string): Promise<void> {
  const put = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const jsonl = (of: (line: string) => unknown): string => lines.map((line) => JSON.stringify(of(line))).join('\n');
  await put(
    'qa.jsonl',
    jsonl((question) => ({ question })),
  );
  await put(
    'custom.jsonl',
    jsonl((prompt) => ({ prompt })),
  );
  await put(
    'gsm8k.jsonl',
    jsonl((question) => ({ question, answer: '#### 1' })),
  );
  await put('kept.json', '{"completed": 7}');
  await put('template.json', '{"top_p": 0.25, "messages": []}');
  const talk = (i: number): unknown => ({
    conversations: [
      { value: `${i} two three four five six` },
      { value: `one two three four five six seven eight${' more'.repeat(i)}` },
    ],
  });
  await put('sharegpt.json', JSON.stringify([talk(1), talk(2), talk(3)]));
  await put(
    'synthetic.json',
    JSON.stringify({
      Input: { Method: 'uniform', Params: { MinValue: 5, MaxValue: 5 } },
      Output: { Method: 'uniform', Params: { MinValue: 3, MaxValue: 3 } },
      RequestCount: 4,
    }),
  );
}

/** The bodies in the order they arrived. */
export const bodies = ({ seen }: Ran): Record<string, unknown>[] => seen.map(({ body }) => body);
export const first = (ran: Ran): Record<string, unknown> => bodies(ran)[0]!;
/** One field of the first body. */
export const sent =
  (field: string) =>
  (ran: Ran): unknown =>
    first(ran)[field];
/** What a chat's only message says. */
export const said = (ran: Ran): unknown[] =>
  bodies(ran).map((body) => (body['messages'] as { content: string }[])[0]!.content);
export const prompts = (ran: Ran): string[] => bodies(ran).map((body) => String(body['prompt']));
export const count = (ran: Ran): number => ran.seen.length;
/** The most that were in flight at once. */
export const most = (ran: Ran): number => Math.max(...ran.seen.map(({ inFlight }) => inFlight));
/** The first match of a pattern in what was printed. */
export const printed =
  (pattern: RegExp) =>
  (ran: Ran): string | undefined =>
    pattern.exec(ran.out)?.[1];
export const words = (text: unknown): number => String(text).trim().split(/\s+/).length;
