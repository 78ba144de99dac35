import type { Terminal } from './terminal.ts';
import { styled } from './printer.ts';

const styles = {
  bold: styled(1, 22),
  dim: styled(2, 22),
  red: styled(31, 39),
  green: styled(32, 39),
  yellow: styled(33, 39),
} as const;
const plain = (text: string): string => text;

/** Colours for one of the two outputs: none off a terminal, none where NO_COLOR is set. */
export function coloursFor(io: Terminal, output: 'out' | 'err'): Record<keyof typeof styles, (text: string) => string> {
  const tty = output === 'out' ? io.outIsTty : io.errIsTty;
  if (tty && io.env['NO_COLOR'] === undefined) return styles;
  return { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };
}
