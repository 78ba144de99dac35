import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from '../../core/index.ts';
import { exchangeBytes } from './exchange-line.ts';
import { openLineWriter } from './line-writer.ts';
import { readExchanges } from './run-reader.ts';
import type { StoredRun } from './stored-entry.ts';

/**
 * Puts what was found out after a run onto its records (token counts): every exchange goes through `change`, the new
 * file takes the old one's place at once, so a kill leaves the one or the other whole.
 */
export async function rewriteExchanges(
  run: Pick<StoredRun, 'dir'>,
  change: (exchange: Exchange) => Exchange,
): Promise<void> {
  const fresh = join(run.dir, 'exchanges.ndjson.new');
  await rm(fresh, { force: true });
  const writer = await openLineWriter(fresh);
  for await (const exchange of readExchanges(run)) await writer.append(exchangeBytes(change(exchange)));
  await writer.close();
  await rename(fresh, join(run.dir, 'exchanges.ndjson'));
}
