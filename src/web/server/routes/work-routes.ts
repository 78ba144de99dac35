import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtinProfiles } from '../../../engine/sim/index.ts';
import { askShape, jobShape, wordsShape } from '../../api/shapes.ts';
import type { StartAsk } from '../../api/shapes.ts';
import { z } from '../../api/shape.ts';
import { tunePageShape } from '../../api/tune-shape.ts';
import type { TunePageData } from '../../api/tune-shape.ts';
import { isUnderWay } from '../live-file.ts';
import { liveStream } from '../live-stream.ts';
import { entryOf, noSuchRun, refused } from '../route.ts';
import type { Call, Route } from '../route.ts';
import { formWords, readStart } from '../start-words.ts';
import { isPaused, pause, readTune } from '../tune-folder.ts';

const mostAtOnce = 4;

/** Starting, watching and stopping what is measured. */
export const workRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/words',
    about: 'The settings that a run may be started with from here, with the help of the command line.',
    answer: wordsShape,
    handle: async ({ hall }) => ({
      words: formWords(await hall.datasets(), hall.keyVariables),
      profiles: [...builtinProfiles.values()].map(({ name, title }) => ({ name, title })),
      allowed: hall.allowedTargets,
      mayStart: mayStart(hall),
    }),
  },
  {
    method: 'post',
    path: '/start',
    about: 'Starts a run, a sweep, a search for the largest load or a simulation in a process of its own.',
    body: askShape,
    answer: jobShape,
    handle: begin,
  },
  {
    method: 'get',
    path: '/jobs/:job',
    about: 'What became of a command that was started from here.',
    answer: jobShape,
    handle: (call) => Promise.resolve(call.hall.jobs.state(call.param('job')) ?? notThere()),
  },
  {
    method: 'get',
    path: '/runs/:id/live',
    about:
      'Server-sent events of a run or sweep under way. An event id names a place: Last-Event-ID goes on from there.',
    query: { from: 'an event id to go on from, where no Last-Event-ID can be sent' },
    answer: 'text/event-stream',
    handle: async (call) => liveStream(call, await entryOf(call)),
  },
  {
    method: 'post',
    path: '/runs/:id/stop',
    about: 'Asks a run or sweep to send no more, wait for what is in flight and end; or to cancel that, too.',
    body: z.object({ how: z.enum(['stop', 'cancel']).optional() }),
    answer: z.object({ id: z.string() }),
    handle: async (call) => {
      const entry = await entryOf(call);
      const { how = 'stop' } = call.body as { how?: 'stop' | 'cancel' };
      await writeFile(join(entry.dir, how), '');
      // A run that has ended meanwhile would find the word when it is resumed, and stop at once.
      if (!(await isUnderWay(entry.dir))) await rm(join(entry.dir, how), { force: true });
      return { id: entry.id };
    },
  },
  {
    method: 'get',
    path: '/tunes/:id',
    about: 'A search over settings: tune.json as it stands, and whether it is asked to wait.',
    answer: tunePageShape,
    handle: async (call) => {
      const { dir, tune } = await tuneOf(call);
      return { tune, paused: await isPaused(dir) };
    },
  },
  {
    method: 'post',
    path: '/tunes/:id/pause',
    about: 'Asks a search to wait before its next trial, or to go on.',
    body: z.object({ wait: z.boolean() }),
    answer: z.object({ paused: z.boolean() }),
    handle: async (call) => {
      const { dir } = await tuneOf(call);
      await pause(dir, (call.body as { wait: boolean }).wait);
      return { paused: await isPaused(dir) };
    },
  },
];

function mayStart({ exposed, allowedTargets }: Call['hall']): boolean {
  return !exposed || (allowedTargets !== null && allowedTargets.length > 0);
}

async function begin(call: Call): Promise<unknown> {
  const { hall } = call;
  if (!mayStart(hall))
    throw refused(
      403,
      'no-target-allowed',
      'this page is reached from other machines, and no target is allowed',
      '此页面可从其他机器访问，未允许任何目标',
      'Start dyno ui with --allow-target HOST:PORT.',
      '请以 --allow-target 主机:端口 启动 dyno ui。',
    );
  const start = readStart(call.body as StartAsk, hall.allowedTargets, await hall.datasets(), hall.keyVariables);
  if (hall.jobs.running() >= mostAtOnce)
    throw refused(
      429,
      'too-many-runs',
      `${mostAtOnce} runs are under way already`,
      `已有 ${mostAtOnce} 个运行正在进行`,
      'They would disturb each other: wait or stop one.',
      '同时运行会互相干扰：请等待或停止其中之一。',
    );
  return hall.jobs.state(hall.jobs.begin(start));
}

function notThere(): never {
  throw refused(404, 'no-such-job', 'no such command', '没有这个命令', 'Look in the list of runs.', '请查看运行列表。');
}

async function tuneOf(call: Call): Promise<{ dir: string; tune: TunePageData['tune'] }> {
  const dir = await call.hall.catalogue.folder(call.param('id'));
  const tune = dir === null ? null : await readTune(dir);
  if (dir === null || tune === null) throw noSuchRun();
  return { dir, tune };
}
