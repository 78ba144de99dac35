import type { Severity, Summary } from '../../../core/index.ts';
import { serverFigure } from '../server-figure.ts';
import type { SweepRule } from '../rule.ts';
import { showMs } from '../wording.ts';

/** Clocks of one start differ by less than this between two readings, s. */
const sameStartSec = 2;

/** A sweep of one server in which a later point was answered by another process, or of another list of models. */
export const serverChanged: SweepRule = {
  code: 'server-changed',
  severities: ['info', 'warn'],
  meaning: {
    en: 'Points of one sweep were answered by different servers: its process was started anew between them (`process_start_time_seconds`), another server answered, or the model asked is listed otherwise than before (`/v1/models`: weights, length, engine). Points before and after are not of one server; caches and compiled code began anew. Only told where other models came or went beside it.',
    zh: '同一扫描中的各点由不同的服务器应答：期间进程重新启动（`process_start_time_seconds`），换成了另一个服务器，或所请求的模型在列表（`/v1/models`：权重、长度、引擎）中与之前不同。前后各点不属于同一台服务器，缓存与编译结果也重新开始。若只是旁边的其他模型有增减，则仅作提示。',
  },
  taughtBy:
    'A supervisor that starts a crashed vLLM again between two points of a sweep: nothing fails, and the second half of the curve is of a server with cold caches, or of the weights that its unit file names by now.',
  check(points) {
    // Variants and settings are servers of their own, and were meant to be.
    if (points.some(({ asked }) => asked?.variant !== undefined || asked?.settings !== undefined)) return [];
    for (const [i, point] of points.entries()) {
      const before = points[i - 1];
      if (before === undefined) continue;
      const changes = [
        restarted(before, point, points, i),
        renamed(before, point),
        relisted(before, point, points, i),
      ].filter((change) => change !== null);
      if (changes.length === 0) continue;
      const grave = changes.some(({ severity }) => severity === 'warn');
      const [en, zh] = [changes.map((change) => change.en).join('; '), changes.map((change) => change.zh).join('；')];
      return [
        {
          severity: grave ? 'warn' : 'info',
          message: grave
            ? {
                en: `From point ${i + 1} on another server answered: ${en}.`,
                zh: `自第 ${i + 1} 个点起由另一个服务器应答：${zh}。`,
              }
            : { en: `From point ${i + 1} on ${en}.`, zh: `自第 ${i + 1} 个点起，${zh}。` },
          evidence: Object.assign({ point: i + 1 }, ...changes.map(({ evidence }) => evidence)),
          advice: grave
            ? {
                en: "Find out why it changed (the server's log, its supervisor), and measure the sweep again.",
                zh: '查明变化原因（服务器日志、守护进程），并重新测量整个扫描。',
              }
            : {
                en: 'A model that is loaded beside takes memory and time of the same cards: see that nobody else uses them, or measure again.',
                zh: '旁边加载的模型会占用同一批卡的显存与算力：请确认没有他人在用，或重新测量。',
              },
        },
      ];
    }
    return [];
  },
};

interface Change {
  severity: Severity;
  en: string;
  zh: string;
  evidence: Record<string, string | number>;
}

/** Several servers behind one address answer by turns: a change is one that none of the points before has, and that none after takes back. */
function stays(
  points: readonly Summary[],
  i: number,
  isAsBefore: (point: Summary) => boolean,
  isAsNow: (point: Summary) => boolean,
): boolean {
  return !points.slice(0, i).some(isAsNow) && !points.slice(i + 1).some(isAsBefore);
}

function restarted(before: Summary, after: Summary, points: readonly Summary[], i: number): Change | null {
  const [a, b] = [startOf(before), startOf(after)];
  const isOf = (start: number) => (point: Summary) => Math.abs((startOf(point) ?? Infinity) - start) <= sameStartSec;
  if (a === null || b === null || b - a <= sameStartSec || !stays(points, i, isOf(a), isOf(b))) return null;
  const later = showMs((b - a) * 1000);
  return {
    severity: 'warn',
    en: `its process was started ${later} after the one before`,
    zh: `其进程比之前的晚启动 ${later}`,
    evidence: { startedAtSec: b, before: a },
  };
}

function renamed(before: Summary, after: Summary): Change | null {
  const [was, is] = [before.engine?.server, after.engine?.server];
  if (was === undefined || is === undefined || was === is) return null;
  return {
    severity: 'warn',
    en: `${was} before, ${is} now`,
    zh: `之前为 ${was}，现为 ${is}`,
    evidence: { server: is, serverBefore: was },
  };
}

function relisted(before: Summary, after: Summary, points: readonly Summary[], i: number): Change | null {
  const [was, is] = [before.models, after.models];
  if (was === undefined || is === undefined) return null;
  const isLike = (list: readonly string[]) => (point: Summary) =>
    point.models !== undefined && isSame(point.models, list);
  if (isSame(was, is) || !stays(points, i, isLike(was), isLike(is))) return null;
  const [gone, came] = [was.filter((one) => !is.includes(one)), is.filter((one) => !was.includes(one))];
  const isOfAsked = (described: string): boolean =>
    after.model !== null && (described === after.model || described.startsWith(`${after.model} (`));
  const words = (list: readonly string[], and: string): string =>
    list.length > shown ? `${list.slice(0, shown).join(', ')} ${and} ${list.length - shown}` : list.join(', ');
  const en = [
    ...(gone.length > 0 ? [`without ${words(gone, 'and another')}`] : []),
    ...(came.length > 0 ? [`with ${words(came, 'and another')}`] : []),
  ];
  const zh = [
    ...(gone.length > 0 ? [`少了 ${words(gone, '等，另有')}`] : []),
    ...(came.length > 0 ? [`多了 ${words(came, '等，另有')}`] : []),
  ];
  return {
    severity: [...gone, ...came].some(isOfAsked) ? 'warn' : 'info',
    en: `its list of models is another one, ${en.join(' and ')}`,
    zh: `其模型列表发生变化，${zh.join('，')}`,
    evidence: { modelsGone: words(gone, '+'), modelsNew: words(came, '+') },
  };
}

/** Names of models in one sentence. */
const shown = 3;

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}

function startOf(point: Summary): number | null {
  return serverFigure(point, 'startedAtSec');
}
