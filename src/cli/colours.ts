import pc from 'picocolors';
import type { Io } from './io.ts';

/** Colours for one of the two outputs: none off a terminal, none where NO_COLOR is set. */
export function coloursFor(io: Io, output: 'out' | 'err'): ReturnType<typeof pc.createColors> {
  const tty = output === 'out' ? io.outIsTty : io.errIsTty;
  return pc.createColors(tty && io.env['NO_COLOR'] === undefined);
}
