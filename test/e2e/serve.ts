import { readFile } from 'node:fs/promises';
import { start } from './dyno.ts';

/** The page of `dyno ui` in a process of its own. */
export interface Served {
  url: string;
  stop(): Promise<void>;
}

/** Serves a store on a free port. */
export async function serve(store: string, flags: readonly string[] = []): Promise<Served> {
  const running = start([
    'ui',
    ...(flags.includes('--port') ? [] : ['--port', '0']),
    '--no-open',
    '--store',
    store,
    ...flags,
  ]);
  const printed = (await running.until('out', /\n/)).trim();
  const file = flags[flags.indexOf('--token-file') + 1];
  const url = flags.includes('--token-file') ? `${printed}?token=${(await readFile(file!, 'utf8')).trim()}` : printed;
  return {
    url,
    stop: async () => {
      running.child.kill('SIGTERM');
      await running.done;
    },
  };
}
