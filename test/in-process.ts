import type { Terminal } from '../src/cli/terminal.ts';
import { runCli } from '../src/cli/run-cli.ts';

/** A world off the terminal, with no environment, that hears everything and says nothing. */
export const quietIo: Terminal = {
  out: () => {},
  err: () => {},
  outIsTty: false,
  errIsTty: false,
  hide: () => {},
  columns: 80,
  env: {},
  argv: [],
  onInterrupt: () => () => {},
};

/** Runs a command line inside this process. */
export async function dynoHere(argv: readonly string[]): Promise<{ out: string; err: string; code: number }> {
  const said = { out: '', err: '' };
  const code = await runCli({
    ...quietIo,
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    argv,
  });
  return { ...said, code };
}
