import { inputTokensOf, outputTokensOf } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

type ColumnType = 'INT32' | 'DOUBLE' | 'STRING' | 'BOOLEAN';

interface Column {
  name: string;
  type: ColumnType;
  of(exchange: Exchange): string | number | boolean | null;
}

/** A row per request; names as in exchanges.ndjson; stamps of single tokens are left to that file. */
const columns: readonly Column[] = [
  { name: 'seq', type: 'INT32', of: (e) => e.seq },
  { name: 'promptId', type: 'STRING', of: (e) => e.promptId },
  { name: 'warmup', type: 'BOOLEAN', of: (e) => e.warmup },
  { name: 'outcome', type: 'STRING', of: (e) => e.outcome },
  { name: 'problem', type: 'STRING', of: (e) => e.problem?.code ?? null },
  { name: 'httpStatus', type: 'INT32', of: (e) => e.httpStatus },
  { name: 'finish', type: 'STRING', of: (e) => e.finish },
  { name: 'attempts', type: 'INT32', of: (e) => e.attempts },
  { name: 'dueMs', type: 'DOUBLE', of: (e) => e.dueMs },
  { name: 'sentMs', type: 'DOUBLE', of: (e) => e.sentMs },
  { name: 'connectMs', type: 'DOUBLE', of: (e) => e.connectMs },
  { name: 'firstByteMs', type: 'DOUBLE', of: (e) => e.firstByteMs },
  { name: 'firstOutputMs', type: 'DOUBLE', of: (e) => e.chunks.atMs[0] ?? null },
  { name: 'endMs', type: 'DOUBLE', of: (e) => e.endMs },
  { name: 'reads', type: 'INT32', of: (e) => e.chunks.atMs.length },
  { name: 'inputTokens', type: 'INT32', of: inputTokensOf },
  { name: 'outputTokens', type: 'INT32', of: outputTokensOf },
  { name: 'cachedTokens', type: 'INT32', of: (e) => e.cachedTokens },
  { name: 'reasoningTokens', type: 'INT32', of: (e) => e.reasoningTokens },
  { name: 'inputChars', type: 'INT32', of: (e) => e.inputChars },
  { name: 'outputChars', type: 'INT32', of: (e) => e.outputChars },
  { name: 'labels', type: 'STRING', of: (e) => JSON.stringify(e.labels) },
];

const rowsPerGroup = 50_000;

/** Parquet of a run's requests for pandas and DuckDB, written in groups so that memory stays bounded by the file itself. */
export async function parquet(exchanges: AsyncIterable<Exchange>): Promise<Uint8Array> {
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(schemaOf)],
  });
  let rows: unknown[][] = columns.map(() => []);
  const flush = async (): Promise<void> => {
    await file.write({
      columnData: columns.map((column, i) => ({ name: column.name, data: rows[i]! })),
      rowGroupSize: rowsPerGroup,
    });
    rows = columns.map(() => []);
  };
  for await (const exchange of exchanges) {
    for (const [i, column] of columns.entries()) rows[i]!.push(column.of(exchange));
    if (rows[0]!.length >= rowsPerGroup) await flush();
  }
  if (rows[0]!.length > 0) await flush();
  await file.finish();
  return writer.getBytes();
}

function schemaOf({ name, type }: Column) {
  return type === 'STRING'
    ? ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const)
    : ({ name, type, repetition_type: 'OPTIONAL' } as const);
}
