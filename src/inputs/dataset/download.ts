import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mistake, printable, UserError } from '../../core/index.ts';

/** What is fetched, and how it is known to be right. */
export interface Download {
  url: string;
  /** Where it is to lie. */
  file: string;
  /** sha256 in hex; null = not known before. */
  sha256: string | null;
  onProgress?(bytes: number, total: number | null): void;
}

/** A file that was fetched. */
export interface Downloaded {
  bytes: number;
  sha256: string;
  /** Bytes that lay there already from an earlier try. */
  resumedAt: number;
  /** The server named the same checksum, or the user did. */
  verified: boolean;
}

/** No byte for this long is the end of a try. */
const silenceMs = 30_000;

/** The server could not be had, or said no: another place may do better. */
export class DownloadFailed extends Error {
  override name = 'DownloadFailed';
}

/**
 * Fetches a file into `file`, going on where an earlier try was cut off. Until it is whole and right it is called
 * `file.part`; what it is a part of stands in `file.part.etag`, so that two versions are never sewn together.
 */
export async function download({ url, file, sha256, onProgress }: Download): Promise<Downloaded> {
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.part`;
  const before = await beginning(part);
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const headers: Record<string, string> = { 'accept-encoding': 'identity' };
    if (before !== null) Object.assign(headers, { range: `bytes=${before.bytes}-`, 'if-range': before.etag });
    const response = await fetch(url, { headers, redirect: 'follow', signal: silence.signal });
    const resumed = response.status === 206 && before !== null && startOf(response) === before.bytes;
    if (!response.ok || (response.status === 206 && !resumed) || response.body === null) {
      throw new DownloadFailed(`HTTP ${response.status}`);
    }
    if (/^text\/html\b/i.test(response.headers.get('content-type') ?? ''))
      throw new DownloadFailed('a web page, not a file');
    const resumedAt = resumed ? before.bytes : 0;
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isFinite(length) ? resumedAt + length : null;
    const etag = response.headers.get('etag');
    if (etag !== null && !etag.startsWith('W/')) await writeFile(`${part}.etag`, etag);
    else await rm(`${part}.etag`, { force: true });
    const handle = await open(part, resumed ? 'a' : 'w');
    let bytes = resumedAt;
    try {
      for await (const piece of response.body) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), silenceMs);
        await handle.write(piece);
        bytes += piece.length;
        onProgress?.(bytes, total);
      }
    } finally {
      await handle.close();
    }
    if (total !== null && bytes !== total) throw new DownloadFailed(`cut off after ${bytes} of ${total} bytes`);
    const said = sha256 ?? checksumIn(response.headers);
    const digest = await sha256Of(part);
    if (said !== null && said !== digest) {
      await rm(part);
      throw new UserError(wrongChecksum(file, said, digest));
    }
    await rename(part, file);
    await rm(`${part}.etag`, { force: true });
    return { bytes, sha256: digest, resumedAt, verified: said !== null };
  } catch (error) {
    if (error instanceof UserError || error instanceof DownloadFailed) throw error;
    throw new DownloadFailed(wordsOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** An earlier try that can be gone on with: its size and what the server called the whole. */
async function beginning(part: string): Promise<{ bytes: number; etag: string } | null> {
  const found = await stat(part).catch(() => null);
  const etag = await readFile(`${part}.etag`, 'utf8').catch(() => '');
  return found !== null && found.size > 0 && etag !== '' ? { bytes: found.size, etag } : null;
}

function startOf(response: Response): number | null {
  const match = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '');
  return match === null ? null : Number(match[1]);
}

/** Hugging Face names the sha256 of large files in these headers. */
function checksumIn(headers: Headers): string | null {
  for (const name of ['x-linked-etag', 'etag']) {
    const value = /^"?([0-9a-f]{64})"?$/.exec(headers.get(name) ?? '')?.[1];
    if (value !== undefined) return value;
  }
  return null;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

function wordsOf(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (error instanceof Error && error.name === 'AbortError') return `silence for ${silenceMs / 1000} s`;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  return printable(code ?? (cause instanceof Error ? cause.message : String(cause))).slice(0, 200);
}

function wrongChecksum(file: string, wanted: string, found: string) {
  return mistake(
    'download-checksum',
    `the checksum is ${found}, not ${wanted}; the file was thrown away`,
    `校验和为 ${found}，应为 ${wanted}；文件已删除`,
    'fetch it again, or from another mirror (--mirror)',
    '请重新下载，或更换镜像（--mirror）',
    { file: printable(file).slice(-240) },
  );
}
