/** Who else may read what a store holds. */
type StoreReaders = 'nobody' | 'group' | 'everybody';

const modes = {
  nobody: { file: 0o600, folder: 0o700 },
  group: { file: 0o640, folder: 0o750 },
  everybody: { file: 0o644, folder: 0o755 },
} as const satisfies Record<StoreReaders, { file: number; folder: number }>;

let readers: StoreReaders = 'nobody';

/**
 * Answers, error words and addresses are for their owner alone, unless a process says otherwise once, as it starts
 * (DYNO_STORE_READERS). A word that is none of these changes nothing.
 */
export function letRead(word: string | undefined): void {
  if (word !== undefined && Object.hasOwn(modes, word)) readers = word as StoreReaders;
}

/** Modes of new files and folders of a store; the umask takes away from them as always. */
export function storeModes(): { file: number; folder: number } {
  return modes[readers];
}
