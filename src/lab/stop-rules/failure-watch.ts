import { shown } from './stop-watch.ts';
import type { StopWatch } from './stop-watch.ts';

/** Fewer ends than this say nothing about a ratio. */
const leastEnded = 20;

/** Ends the run when more than `limitRatio` of the ended requests failed, looked at from the 20th on. */
export function failureWatch(limitRatio: number): StopWatch {
  return {
    look({ ok, failed }) {
      const ended = ok + failed;
      if (ended < leastEnded || failed <= limitRatio * ended) return null;
      const percent = shown((100 * failed) / ended);
      return {
        says: {
          en: `${failed} of ${ended} requests failed (${percent} %), above ${shown(100 * limitRatio)} %`,
          zh: `${ended} 个请求中 ${failed} 个失败（${percent} %），超过 ${shown(100 * limitRatio)} %`,
        },
        evidence: { failed, ended, limitRatio },
      };
    },
  };
}
