import { exitCodes, say } from '../core/index.ts';
import type { Stops } from '../core/index.ts';
import type { Given } from './command.ts';

/** Ctrl-C as a run hears it. */
export interface Interrupts {
  stops: Stops;
  /** Whether there was one. */
  readonly heard: boolean;
  /** Stops as the first Ctrl-C does. */
  stop(): void;
  done(): void;
}

/** First Ctrl-C: send no more and drain. Second: cancel. Third: leave at once. */
export function listenForInterrupts(given: Given): Interrupts {
  const sending = new AbortController();
  const everything = new AbortController();
  const { io, common } = given;
  const note = (en: string, zh: string): void => io.err(`\n${say({ en, zh }, common.lang)}\n`);
  const stop = (): void => {
    note(
      'stopping: no more requests are sent, waiting for those in flight (Ctrl-C again cancels them)',
      '正在停止：不再发送请求，等待进行中的请求完成（再按一次 Ctrl-C 取消）',
    );
    sending.abort();
  };
  const done = io.onInterrupt((count) => {
    if (count === 1) stop();
    else if (count === 2) {
      note('cancelling what is in flight', '正在取消进行中的请求');
      everything.abort();
    } else process.exit(exitCodes.interrupted);
  });
  return {
    stops: { sending: sending.signal, everything: everything.signal },
    get heard() {
      return sending.signal.aborted;
    },
    stop: () => {
      if (!sending.signal.aborted) stop();
    },
    done,
  };
}
