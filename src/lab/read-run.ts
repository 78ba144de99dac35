import type { Exchange, Finding, Summary, Sweep } from '../core/index.ts';
import { factsOfPlan, meterFor, summarise } from '../results/measure/index.ts';
import { openSweep, readExchanges, readSummary, readSweep } from '../results/store/index.ts';
import type { StoredRun, StoredSweep } from '../results/store/index.ts';
import { judged } from './execute-run.ts';

/** The summary of a stored run: the one it wrote, or, where it was killed, what its exchanges amount to. */
export async function summaryOfRun(run: StoredRun): Promise<Summary> {
  return (await readSummary(run)) ?? summariseUnfinished(run);
}

/** The summary as this version reads it: records of a version that knew fewer figures are read again, and judged anew. */
export async function summaryAnew(run: StoredRun): Promise<Summary> {
  const stored = await summaryOfRun(run);
  if (stored.flow !== undefined || stored.source.tool !== 'llmdyno') return stored;
  const { plan } = run.record;
  const meter = meterFor(plan);
  for await (const exchange of readExchanges(run)) meter.add(exchange);
  return judged({ ...stored, ...meter.read(stored.counts.planned) }, plan, stored.partial);
}

/** A stored sweep with every point that can be read. */
export async function sweepOf(store: string, entry: StoredSweep): Promise<Sweep> {
  return readSweep(await openSweep(store, entry.dir), summariseUnfinished);
}

/** The summary of a run as these requests of it make it; `partial` = they are not all that it sent. */
export async function summaryOfRequests(
  { record }: StoredRun,
  requests: AsyncIterable<Exchange> | Iterable<Exchange>,
  partial: boolean,
): Promise<Summary> {
  const { plan, runId, startedAt, simulated, resumed } = record;
  const meter = meterFor(plan);
  for await (const exchange of requests) meter.add(exchange);
  const facts = { ...factsOfPlan(plan), runId, startedAt, simulated, partial };
  return judged(summarise(meter, { ...facts, ...(resumed !== undefined && { resumed }) }), plan, partial);
}

async function summariseUnfinished(run: StoredRun): Promise<Summary> {
  const exchanges = readExchanges(run);
  const summary = await summaryOfRequests(run, exchanges, true);
  const { torn, skipped, bad } = exchanges.report;
  if (!torn && skipped === 0) return summary;
  const findings = [...summary.verdict.findings, damagedRecords(torn, skipped, bad[0]?.line ?? null)];
  return { ...summary, verdict: { ...summary.verdict, findings } };
}

function damagedRecords(torn: boolean, skipped: number, firstLine: number | null): Finding {
  return {
    code: 'damaged-records',
    severity: 'warn',
    message: `Some lines of exchanges.ndjson could not be read: ${skipped} broken${torn ? ', the last one cut off' : ''}.`,
    evidence: { torn, skipped, firstLine },
    advice:
      'A line cut off at the end is what a kill leaves behind; broken lines before it mean a damaged disk or an edited file.',
    zh: {
      message: `exchanges.ndjson 中有无法读取的行：损坏 ${skipped} 行${torn ? '，最后一行被截断' : ''}。`,
      advice: '末行截断是进程被杀的正常结果；中间行损坏说明磁盘或文件被改动。',
    },
  };
}
