import type { Phrase, StopSignals } from '../core/index.ts';
import type { LabEvent } from './events.ts';
import type { StopKind } from './live-file.ts';

/** What an experiment is given of the outside world; nothing else of it is touched but the server, the store and this host's sensors. */
export interface World {
  /** Folder in which results are kept. */
  store: string;
  /** Where keys, proxies and device tools are looked up by name. */
  env: Readonly<Record<string, string | undefined>>;
  stops: StopSignals;
  /** Called with values that must never be shown: whoever prints takes them out of what strangers say. */
  hide(values: readonly string[]): void;
  /** Called with everything that happens, in order. Must not throw. */
  notify(event: LabEvent): void;
  /** Remarks are not wanted: nothing is asked of a server only to make one. */
  quiet: boolean;
  /** The command line that asks for it, without secrets, as the record keeps it; null = a program asks. */
  command: readonly string[] | null;
}

/** Tells a remark. */
export function note({ notify }: Pick<World, 'notify'>, en: string, zh: string): void {
  const remark: Phrase = { en, zh };
  notify({ event: 'note', note: remark });
}

/** The same world without remarks. */
export function silent(world: World): World {
  return { ...world, quiet: true, notify: (event) => event.event !== 'note' && world.notify(event) };
}

/** The stops of a world with one more hand on them; whoever cancels stops sending, too. */
export function withStop(stops: StopSignals): { stops: StopSignals; stop(how: StopKind): void } {
  const drain = new AbortController();
  const cancel = new AbortController();
  return {
    stops: {
      drain: AbortSignal.any([stops.drain, drain.signal]),
      cancel: AbortSignal.any([stops.cancel, cancel.signal]),
    },
    stop: (how) => {
      drain.abort();
      if (how === 'cancel') cancel.abort();
    },
  };
}

/** Waits so long, or until the signal. */
export function rest(forMs: number, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (until.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      until.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, forMs);
    until.addEventListener('abort', end, { once: true });
  });
}
