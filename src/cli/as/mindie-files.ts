import type { Exchange } from '../../core/index.ts';
import type { AsMeasured, MindieRequest } from '../../tools/index.ts';
import { csvText, mindieColumns } from '../../tools/index.ts';
import { writeBeside } from './write-beside.ts';

/** What goes into the files of one pass. */
export interface MindieFiles {
  /** Name and cells of each metric. */
  cells: readonly (readonly string[])[];
  common: readonly (readonly [string, string])[];
  requests: readonly MindieRequest[];
  measured: AsMeasured;
  answers: ReadonlyMap<number, string>;
  textOf(exchange: Exchange): string;
}

/** Writes result_perf, result_common (metrics as columns, statistics as rows, units in the cells) and results_per_request. */
export async function writeMindie(folder: string, files: MindieFiles): Promise<void> {
  const stamp = new Date().toISOString().replaceAll(/[-:T]/g, '').slice(0, 17).replace('.', '');
  const { cells, common } = files;
  const perf = [
    ['Metric', ...cells.map(([name]) => name!)],
    ...mindieColumns.map((column, i) => [column, ...cells.map((row) => row[i + 1]!)]),
  ];
  await writeBeside(folder, `result_perf_${stamp}.csv`, csvText(perf));
  const names = common.map(([name]) => name);
  await writeBeside(folder, `result_common_${stamp}.csv`, csvText([names, common.map(([, value]) => value)]));
  await writeBeside(folder, `results_per_request_${stamp}.json`, `${JSON.stringify(perRequest(files), null, 1)}\n`);
}

/** Each ok request under its number: everything that the tables are made of. Milliseconds; waits in µs. */
export function perRequest({ requests, measured, answers, textOf }: MindieFiles): Record<string, unknown> {
  const bySeq = new Map(measured.exchanges.map((exchange) => [exchange.seq, exchange]));
  return Object.fromEntries(
    requests.map((request) => [
      String(request.seq),
      {
        input_len: request.inputTokens,
        output_len: request.generatedTokens,
        prefill_bsz: request.prefillBatch,
        decode_bsz: request.decodeBatch,
        req_latency: request.generateMs,
        latency: request.firstTokenMs === null ? [] : [request.firstTokenMs, ...request.decodeMs],
        queue_latency: request.queueWaitUs,
        input_data: textOf(bySeq.get(request.seq)!),
        output: answers.get(request.seq) ?? '',
      },
    ]),
  );
}
