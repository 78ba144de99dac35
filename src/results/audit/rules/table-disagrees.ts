import { halfUlp } from '../../../core/index.ts';
import type { Summary } from '../../../core/index.ts';
import type { PointRule } from '../rule.ts';

/** The document's table prints something else than its log. */
export const tableDisagrees: PointRule = {
  code: 'table-disagrees',
  severities: ['warn'],
  meaning: {
    en: 'A table (or the line above a log) says another figure than the log itself. The log is used; the table was copied by hand.',
    zh: '表格（或日志上方的说明）与日志本身的数值不同。以日志为准；表格为手工抄录。',
  },
  taughtBy:
    'Sweep tables in the published documents are copied by hand from ten or more logs each; every figure of theirs is compared with its log.',
  check(point) {
    const wrong = (point.alsoPrinted ?? []).filter(
      (mention) => mention.where !== 'block' && differs(point, mention.key, mention.digits),
    );
    const [first] = wrong;
    if (first === undefined) return null;
    const log = point.printed[first.key]!;
    return {
      severity: 'warn',
      message: {
        en: `The document's ${first.where === 'table' ? 'table' : 'heading'} (line ${first.line}) says ${first.digits} for ${first.key}, its log says ${log}${wrong.length > 1 ? `; ${wrong.length} figures differ in all` : ''}. The log is used.`,
        zh: `文档${first.where === 'table' ? '表格' : '标题'}（第 ${first.line} 行）中 ${first.key} 为 ${first.digits}，日志为 ${log}${wrong.length > 1 ? `；共有 ${wrong.length} 处不同` : ''}。以日志为准。`,
      },
      evidence: { key: first.key, table: first.digits, log, line: first.line, differing: wrong.length },
      advice: {
        en: 'Correct the table from the log (`dyno report --as markdown`).',
        zh: '请按日志更正表格（`dyno report --as markdown`）。',
      },
    };
  },
};

/** Whether a table's digits are neither the log's rounded nor the log's cut; the table may use another unit of time. */
function differs(point: Summary, key: string, digits: string): boolean {
  const log = Object.hasOwn(point.printed, key) ? Number(point.printed[key]) : NaN;
  if (!Number.isFinite(log)) return false;
  // People's own "failed" often counts the lost ones too: what was planned and did not succeed.
  if (key === 'counts.failed' && Number(digits) === point.counts.planned - point.counts.ok) return false;
  const room = halfUlp(digits);
  return ![1, 1000, 0.001].some((scale) => {
    const gap = log * scale - Number(digits);
    return Math.abs(gap) <= room * 1.000001 || (gap >= 0 && gap < 2 * room);
  });
}
