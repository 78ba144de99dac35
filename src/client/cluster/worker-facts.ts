import type { WorkerShareFacts } from '../../core/index.ts';
import type { Member } from './members.ts';

/** What is told of each machine, one entry per name: a worker that was lost and came back sat on two seats. */
export function workerFacts(members: Iterable<Member>): WorkerShareFacts[] {
  const found = new Map<string, WorkerShareFacts>();
  for (const member of members) {
    const { worker, clock, state } = member;
    const before = found.get(worker.name);
    found.set(worker.name, {
      name: worker.name,
      host: worker.host,
      labels: worker.labels,
      state: before?.state === 'lost' || state === 'lost' ? 'lost' : state === 'here' ? 'stayed' : 'left',
      exchanges: (before?.exchanges ?? 0) + member.exchanges,
      ok: (before?.ok ?? 0) + member.ok,
      failed: (before?.failed ?? 0) + member.failed,
      lostAsks: (before?.lostAsks ?? 0) + member.lostAsks,
      lateExchanges: (before?.lateExchanges ?? 0) + member.late,
      bufferedMost: member.ended ? member.buffered : (before?.bufferedMost ?? null),
      clockErrorMs: Math.max(before?.clockErrorMs ?? 0, clock.rttMs / 2),
      clockDriftMs: clock.driftMs ?? before?.clockDriftMs ?? null,
      health: member.health ?? before?.health ?? null,
    });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
