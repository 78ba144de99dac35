import { serverFigure } from '../server-figure.ts';
import type { PointRule } from '../rule.ts';
import { showMs } from '../wording.ts';

/** The server's process was another one at the end than at the beginning. */
export const serverRestarted: PointRule = {
  code: 'server-restarted',
  severities: ['warn'],
  meaning: {
    en: "The metrics page told another start of the server's process during the run (`process_start_time_seconds`): it was restarted, its caches are empty and its counters began anew.",
    zh: '运行期间指标页给出的服务器进程启动时间发生变化（`process_start_time_seconds`）：服务器被重启，缓存清空、计数重新开始。',
  },
  taughtBy:
    'A supervisor that starts a crashed vLLM again within seconds: the run shows some failures, and its second half is another server.',
  check(point) {
    const atMs = serverFigure(point, 'restartedAtMs');
    if (atMs === null) return null;
    return {
      severity: 'warn',
      message: {
        en: `The server was restarted during the run: seen at ${showMs(atMs)}. What came after was another process, with empty caches.`,
        zh: `服务器在运行期间重启：于 ${showMs(atMs)} 发现。之后是缓存为空的另一个进程。`,
      },
      evidence: { atMs, failed: point.counts.failed },
      advice: {
        en: "Find out why it ended (the server's log, the out-of-memory killer), and measure again.",
        zh: '查明其退出原因（服务器日志、OOM），然后重测。',
      },
    };
  },
};
