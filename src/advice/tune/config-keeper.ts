import { renameSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storeModes } from '../../results/store/index.ts';
import { editedConfig, replaceFile, saveConfig, sha256 } from './config-file.ts';
import type { SavedConfig } from './config-file.ts';
import type { Journal } from './journal.ts';
import type { ServerWords } from './server-words.ts';
import type { Settings } from './setting.ts';

/** Edits configs and brings the originals back; every edit is in the journal before it is on disk. */
export class ConfigKeeper {
  readonly #saved: SavedConfig[] = [];
  #edited = false;

  constructor(
    private readonly configs: ServerWords['configs'],
    private readonly journal: Journal,
    private readonly dir: string,
  ) {}

  /** Puts the original bytes beside the journal; must come before the first edit. */
  async save(): Promise<void> {
    for (const [i, { file }] of this.configs.entries()) {
      if (this.#saved.some((one) => one.file === file)) continue;
      const original = await saveConfig(file);
      const saved = `original-${i + 1}.json`;
      await writeFile(join(this.dir, saved), original.bytes, { flush: true, mode: storeModes().file });
      await this.journal.write({ kind: 'saved', file, saved, mode: original.mode, sha256: sha256(original.bytes) });
      this.#saved.push(original);
    }
  }

  /** Writes the settings into every config, each made anew from its original. */
  async apply(settings: Settings): Promise<void> {
    const texts = new Map<string, string>();
    for (const config of this.configs) {
      const original = texts.get(config.file) ?? this.#original(config.file).bytes.toString('utf8');
      texts.set(config.file, editedConfig(original, config, settings));
    }
    for (const [file, text] of texts) {
      await this.journal.write({ kind: 'editing', file, sha256: sha256(text) });
      this.#edited = true;
      await replaceFile(file, text, this.#original(file).mode);
    }
  }

  /** Brings every original back, byte for byte. */
  async restore(): Promise<void> {
    if (!this.#edited) return;
    for (const { file, bytes, mode } of this.#saved) {
      await replaceFile(file, bytes, mode);
      await this.journal.write({ kind: 'restored', file });
    }
    this.#edited = false;
  }

  /** The same for a process that is about to leave and cannot wait; the journal is settled by the next start. */
  restoreNow(): void {
    if (!this.#edited) return;
    for (const { file, bytes, mode } of this.#saved) {
      const half = `${file}.dyno-tune.part`;
      writeFileSync(half, bytes, { mode: mode & 0o777 });
      renameSync(half, file);
    }
  }

  #original(file: string): SavedConfig {
    return this.#saved.find((one) => one.file === file)!;
  }
}
