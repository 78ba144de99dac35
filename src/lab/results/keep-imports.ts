import { auditPoints } from '../../results/audit/index.ts';
import { verdictOf } from '../../core/index.ts';
import type { Sweep } from '../../core/index.ts';
import type { ImportedSweep } from '../../tools/index.ts';
import { saveImportedSweep } from '../../results/store/index.ts';
import { version } from '../version.ts';

/** An imported sweep with the audit's verdict on every point and its findings as a whole. */
export interface AuditedSweep extends ImportedSweep {
  findings: Sweep['findings'];
}

/** The sweep as it is shown and kept. */
export function audited(sweep: ImportedSweep): AuditedSweep {
  const audit = auditPoints(sweep.points);
  const points = sweep.points.map((point, i) => ({ ...point, verdict: verdictOf(audit.points[i]!.findings) }));
  return { ...sweep, points, findings: audit.findings };
}

/** Puts imported sweeps into the store. `command` = what asked for it, as the record keeps it. */
export async function keepImports(
  sweeps: readonly AuditedSweep[],
  store: string,
  command: readonly string[] | null,
): Promise<void> {
  for (const { id, title, variable, points, findings } of sweeps)
    await saveImportedSweep(store, {
      sweep: { schema: 'llmdyno.sweep/1', id, title, variable, points, findings },
      importedAt: new Date().toISOString(),
      llmdyno: version,
      command,
    });
}
