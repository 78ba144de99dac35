import type { Summary } from '../../../core/index.ts';
import { serverFigure } from '../server-figure.ts';
import type { SweepRule } from '../rule.ts';
import { showMs } from '../wording.ts';

/** Clocks of one start differ by less than this between two readings, s. */
const sameStartSec = 2;

/** A sweep of one server in which a later point was answered by another process. */
export const serverChanged: SweepRule = {
  code: 'server-changed',
  severities: ['warn'],
  meaning: {
    en: 'Points of one sweep were answered by different servers: its process was started anew between them (`process_start_time_seconds`), or another server or model answered. Points before and after are not of one server; caches and compiled code began anew.',
    zh: '同一扫描中的各点由不同的服务器应答：期间进程重新启动（`process_start_time_seconds`），或换成了另一个服务器或模型。前后各点不属于同一台服务器，缓存与编译结果也重新开始。',
  },
  taughtBy:
    'A supervisor that starts a crashed vLLM again between two points of a sweep: nothing fails, and the second half of the curve is of a server with cold caches.',
  check(points) {
    // Variants and settings are servers of their own, and were meant to be.
    if (points.some(({ asked }) => asked?.variant !== undefined || asked?.settings !== undefined)) return [];
    for (const [i, point] of points.entries()) {
      const before = points[i - 1];
      const what = before === undefined ? null : changeOf(before, point, points, i);
      if (what === null) continue;
      return [
        {
          severity: 'warn',
          message: {
            en: `From point ${i + 1} on another server answered: ${what.en}.`,
            zh: `自第 ${i + 1} 个点起由另一个服务器应答：${what.zh}。`,
          },
          evidence: { point: i + 1, ...what.evidence },
          advice: {
            en: "Find out why it changed (the server's log, its supervisor), and measure the sweep again.",
            zh: '查明变化原因（服务器日志、守护进程），并重新测量整个扫描。',
          },
        },
      ];
    }
    return [];
  },
};

interface Change {
  en: string;
  zh: string;
  evidence: Record<string, string | number>;
}

/** A start is new where no point before is of it and none after is of the one before: several servers behind one address answer by turns. */
function changeOf(before: Summary, after: Summary, points: readonly Summary[], i: number): Change | null {
  const [a, b] = [startOf(before), startOf(after)];
  const isOf = (start: number) => (point: Summary) => Math.abs((startOf(point) ?? Infinity) - start) <= sameStartSec;
  if (
    a !== null &&
    b !== null &&
    b - a > sameStartSec &&
    !points.slice(0, i).some(isOf(b)) &&
    !points.slice(i + 1).some(isOf(a))
  ) {
    const later = showMs((b - a) * 1000);
    return {
      en: `its process was started ${later} after the one before`,
      zh: `其进程比之前的晚启动 ${later}`,
      evidence: { startedAtSec: b, before: a },
    };
  }
  const [was, is] = [before.engine?.server, after.engine?.server];
  if (was !== undefined && is !== undefined && was !== is)
    return { en: `${was} before, ${is} now`, zh: `之前为 ${was}，现为 ${is}`, evidence: { server: is, before: was } };
  return null;
}

function startOf(point: Summary): number | null {
  return serverFigure(point, 'startedAtSec');
}
