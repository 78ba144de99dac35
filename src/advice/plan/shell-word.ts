/** A word as a POSIX shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command with one flag a line, as a person would paste it; null = a flag without a value. */
export function commandText(command: string, flags: ReadonlyMap<string, string | null>): string {
  const lines = [...flags].map(([name, value]) => `  ${name}${value === null ? '' : ` ${shellWord(value)}`}`);
  return `${[command, ...lines].join(' \\\n')}\n`;
}
