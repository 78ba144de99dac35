import { join } from 'node:path';
import { exitCodes, mistake, printable, shellWord, UserError } from '../../core/index.ts';
import { download, DownloadFailed } from './download.ts';
import type { Downloaded } from './download.ts';
import { hubUrl, knownDatasets } from './known-datasets.ts';
import type { KnownDataset } from './known-datasets.ts';

/** What the user may say about fetching. */
export interface GetOptions {
  /** Folder to put it in. */
  folder: string;
  /** Takes the place of the hub's host. */
  mirror: string | null;
  /** Only this hub. */
  from: 'modelscope' | 'huggingface' | null;
  sha256: string | null;
  onProgress?(bytes: number, total: number | null): void;
}

/** A dataset that is on disk now. */
export interface Got extends Downloaded {
  file: string;
  url: string;
  /** The words to ask it with. */
  use: string;
}

/** Fetches a dataset by name from the first hub that has it; where none can be had, says what to fetch by hand. */
export async function getDataset(name: string, options: GetOptions): Promise<Got> {
  const known = Object.hasOwn(knownDatasets, name) ? knownDatasets[name]! : null;
  if (known === null) throw new UserError(unknownName(name));
  const file = join(options.folder, known.saveAs);
  const places = known.places.filter(({ hub }) => options.from === null || hub === options.from);
  if (places.length === 0) throw new UserError(notThere(name, options.from ?? ''));
  const failures: { url: string; why: string }[] = [];
  for (const place of places) {
    const url = hubUrl(place, options.mirror);
    try {
      const { sha256, onProgress } = options;
      const done = await download({ url, file, sha256, ...(onProgress !== undefined && { onProgress }) });
      return { ...done, file, url, use: known.use.replace('FILE', file) };
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error;
      failures.push({ url, why: error.message });
    }
  }
  throw new UserError(byHand(name, known, file, failures), exitCodes.unreachable);
}

function byHand(name: string, known: KnownDataset, file: string, failures: readonly { url: string; why: string }[]) {
  const tried = failures.map(({ url, why }) => `${url} (${why})`).join('; ');
  const command = `curl -L -o ${shellWord(file)} ${shellWord(failures[0]!.url)}`;
  const use = known.use.replace('FILE', file);
  return mistake(
    'download-failed',
    `"${name}" could not be fetched: ${tried}`,
    `无法下载“${name}”：${tried}`,
    `on a machine with a network: ${command} — then copy it to ${file} and use ${use}; a mirror is set with --mirror URL`,
    `请在有网络的机器上执行：${command}，再复制到 ${file}，使用 ${use}；可用 --mirror URL 指定镜像`,
  );
}

function unknownName(name: string) {
  const names = Object.keys(knownDatasets).join(', ');
  return mistake(
    'download-unknown',
    `no dataset is called "${printable(name).slice(0, 60)}"`,
    `没有名为“${printable(name).slice(0, 60)}”的数据集`,
    `Known: ${names}.`,
    `可用：${names}。`,
  );
}

function notThere(name: string, hub: string) {
  return mistake(
    'download-unknown',
    `"${name}" does not lie on ${hub}`,
    `“${name}”不在 ${hub} 上`,
    'Leave --from out.',
    '请去掉 --from。',
  );
}
