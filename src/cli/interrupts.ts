import { exitCodes, say } from '../core/index.ts';
import type { StopSignals } from '../core/index.ts';
import type { ParsedCommand } from './command.ts';

/** Ctrl-C and the signals that end a process, as an experiment hears them. */
export interface Interrupts {
  stops: StopSignals;
  /** Begins to listen; before that a signal ends the process. */
  listen(): void;
  /** Says what the first Ctrl-C says, or the second. */
  say(how: 'stop' | 'cancel'): void;
  done(): void;
}

/**
 * First Ctrl-C: send no more and drain. Second: cancel. Third: leave at once. SIGTERM and SIGHUP (the terminal is gone) cancel at
 * once: whoever sends them will not wait for answers, and what was answered is kept.
 */
export function listenForInterrupts(given: ParsedCommand): Interrupts {
  const drain = new AbortController();
  const cancel = new AbortController();
  const { io, common } = given;
  const note = (en: string, zh: string): void => io.err(`\n${say({ en, zh }, common.lang)}\n`);
  const sayHow = (how: 'stop' | 'cancel'): void => {
    if (how === 'cancel') return note('cancelling what is in flight', '正在取消进行中的请求');
    note(
      'stopping: no more requests are sent, waiting for those in flight (Ctrl-C again cancels them)',
      '正在停止：不再发送请求，等待进行中的请求完成（再按一次 Ctrl-C 取消）',
    );
  };
  const cancelNow = (): void => {
    sayHow('cancel');
    drain.abort();
    cancel.abort();
  };
  let done: (() => void) | null = null;
  return {
    stops: { drain: drain.signal, cancel: cancel.signal },
    listen() {
      done ??= io.onInterrupt((count, signal) => {
        if (cancel.signal.aborted) process.exit(exitCodes.interrupted);
        else if (signal !== 'SIGINT' || count > 1) cancelNow();
        else {
          sayHow('stop');
          drain.abort();
        }
      });
    },
    say: sayHow,
    done: () => done?.(),
  };
}
