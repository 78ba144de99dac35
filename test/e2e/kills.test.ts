import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { tuneSchema } from '../../src/advice/tune/index.ts';
import { dyno, emptyFolder, start } from './dyno.ts';
import { limitMs, play, resumed } from './kill-laws.ts';
import type { Kind } from './kill-laws.ts';
import { filesBelow, lastingProcesses, witness } from './kills.ts';
import type { Struck, Witness } from './kills.ts';
import { original, tuneBench } from './tune-bench.ts';

const asks = ['--model', 'm', '--no-preflight', '--metrics', 'none', '--lenient', '--json', '--max-tokens', '4'];

/** A run, sweep or find against a witness of its own. */
const measured = (verb: 'run' | 'sweep', flags: readonly string[]): Kind => ({
  async begin() {
    const server: Witness = await witness();
    return { words: [verb, server.url, ...asks, ...flags], store: await emptyFolder(), server };
  },
  goOn: (command, struck, asked) => resumed(verb, command, struck, asked),
});

describe.concurrent(
  'killed, stopped, hung up or put to sleep at a moment drawn from what it has done',
  { timeout: limitMs },
  () => {
    test.each<[string, number, Kind]>([
      ['a run', 16, measured('run', ['--concurrency', '4', '-n', '300', '--devices', 'none'])],
      ['a run by a schedule, over threads', 12, measured('run', ['--rate', '200', '-n', '200', '--threads', '2'])],
      ['a sweep', 16, measured('sweep', ['--concurrency', '2,4,8', '-n', '40', '--devices', 'none'])],
      [
        'a find',
        12,
        measured('sweep', [
          '--find',
          'max',
          '--slo',
          'failed<1%',
          '--concurrency',
          '1,8',
          '-n',
          '24',
          '--devices',
          'none',
        ]),
      ],
    ])('%s: nothing that was finished is lost, and --resume asks exactly what is left', async (name, count, kind) => {
      await play(name, count, kind);
    });

    test('a simulation ends, and what it kept reads', async () => {
      await play('simulation', 12, {
        begin: async () => ({
          words: ['sim', '--concurrency', '4,16,64', '-n', '400', '--json', '--lenient'],
          store: await emptyFolder(),
          server: null,
        }),
        async goOn({ store }) {
          const listed = await dyno(['runs', '--json', '--store', store]);
          return listed.code === 0 ? [] : [`dyno runs: ${listed.code} ${listed.err}`];
        },
      });
    });

    test('a simulated tune goes on with the trials it had', async () => {
      const file = join(await emptyFolder(), 'tune.yaml');
      const init = await dyno(['tune', '--init', 'mindie']);
      await writeFile(file, init.out.replace('concurrency: maxBatchSize - 1', 'concurrency: 16'));
      const words = ['tune', file, '--simulate', 'qwen1.5-7b-mindie-8x910b4', '--runs', '3', '--json'];
      await play('simulated tune', 12, {
        begin: async () => ({ words, store: await emptyFolder(), server: null }),
        goOn: ({ store }, struck) => tuneGoesOn(words, store, struck),
      });
    });

    test('a tune of a server that it starts: the server ends, its config comes back, and the trials it had stand', async () => {
      const benches = new Map<string, { config: string; words: readonly string[] }>();
      await play('tune', 8, {
        async begin() {
          const { file, config, store } = await tuneBench('good', 'budget: {runs: 3}', { requests: 20 });
          const words = ['tune', file, '--json'];
          benches.set(store, { config, words });
          return { words, store, server: null };
        },
        async goOn({ store }, struck) {
          const { config, words } = benches.get(store)!;
          const wrong = await tuneGoesOn(words, store, struck);
          if (readFileSync(config, 'utf8') !== original)
            wrong.push(`the config was left as ${readFileSync(config, 'utf8')}`);
          const left = await lastingProcesses(struck.tag);
          if (left.length > 0) wrong.push(`processes left: ${left.join(' ')}`);
          return wrong;
        },
      });
    });
    test('the third Ctrl-C of a tune takes its server along and puts its config back', async () => {
      const { file, config, store } = await tuneBench('good', 'budget: {runs: 3}', { requests: 20_000 });
      const tag = `third-${process.pid}`;
      const running = start(['tune', file, '--json', '--store', store], { env: { LLMDYNO_TEST_TAG: tag } });
      while (![...filesBelow(store)].some(([name, size]) => name.endsWith('exchanges.ndjson') && size > 0))
        await pause(20);
      for (let times = 0; times < 3; times += 1) {
        running.child.kill('SIGINT');
        await pause(20);
      }
      expect((await running.done).code).toBe(130);
      expect(await lastingProcesses(tag)).toEqual([]);
      expect(readFileSync(config, 'utf8')).toBe(original);
    });
  },
);

/** Goes on with a tune: trials that had ended stand as they were, and it comes to its end. */
async function tuneGoesOn(words: readonly string[], store: string, { done: first }: Struck): Promise<string[]> {
  const trialsIn = (): string[] => {
    const [folder] = existsSync(store) ? readdirSync(store) : [];
    const file = join(store, folder ?? '', 'tune.json');
    return existsSync(file)
      ? tuneSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).trials.map((trial) => JSON.stringify(trial))
      : [];
  };
  const before = trialsIn();
  const done = await dyno([...words, '--resume', 'latest', '--store', store]);
  const none = done.code === 2 && /resume/.test(done.err);
  if (none) return first.code === 0 || before.length === 0 ? [] : [`does not go on: ${done.err}`];
  if (done.code !== 0 && done.code !== 4) return [`--resume ended with ${done.code}: ${done.err}`];
  const after = trialsIn();
  return before.filter((trial) => !after.includes(trial)).map((trial) => `a trial is gone: ${trial}`);
}
