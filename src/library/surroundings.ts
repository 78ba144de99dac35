import type { LabEvent, World } from '../lab/index.ts';

/** What an experiment is given besides its settings; everything may be left out. */
export interface Surroundings {
  /** Folder in which results are kept; made where it is missing. Left out = `dyno-runs` in the working directory. */
  store?: string;
  /** Called with everything that happens, in order, while it happens. Must not throw. */
  notify?(event: LabEvent): void;
  /** Once aborted, no more requests are sent; those in flight are waited for. */
  stop?: AbortSignal;
  /** Once aborted, requests in flight are cancelled too. */
  cancel?: AbortSignal;
  /** Where keys, proxies and device tools are looked up by name; left out = this process's environment. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** Where results are kept unless a program says otherwise; the same place as for the commands. */
export const usualStore = 'dyno-runs';

/** The world of an experiment that a program asks for. */
export function worldOf({ store, notify, stop, cancel, env }: Surroundings): World {
  const never = new AbortController().signal;
  const now = cancel ?? never;
  return {
    store: store ?? usualStore,
    env: env ?? process.env,
    stops: { drain: AbortSignal.any([stop ?? never, now]), cancel: now },
    // Nothing is printed here; records have secrets taken out before they are written.
    hide: () => {},
    notify: (event) => notify?.(event),
    quiet: notify === undefined,
    command: null,
  };
}
