import { shellWord } from '../../core/index.ts';

/** A command with one flag a line, as a person would paste it; null = a flag without a value. */
export function commandText(command: string, flags: ReadonlyMap<string, string | null>): string {
  const lines = [...flags].map(([name, value]) => `  ${name}${value === null ? '' : ` ${shellWord(value)}`}`);
  return `${[command, ...lines].join(' \\\n')}\n`;
}
