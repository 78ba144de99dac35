import { known } from '../printed-room.ts';
import type { ComparisonRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** Identical single runs differ by up to this much in throughput. */
const noise = 0.017;

/** A difference that two runs of the same server show as well. */
export const withinNoise: ComparisonRule = {
  code: 'within-noise',
  severities: ['info'],
  meaning: {
    en: 'Identical single runs differ by 0.7 to 1.7 % in throughput (and about 10 % in TTFT): a smaller difference between one run each is no result.',
    zh: '相同的单次运行之间吞吐相差 0.7% 至 1.7%（TTFT 约 10%）：各一次运行的更小差异不能算作结论。',
  },
  taughtBy: 'Two published MindIE runs of the same set-up, half an hour apart: 327.3 and 321.8 tokens/s, 1.7 % apart.',
  check({ summary: baseline, slices }, { summary: other, slices: others }) {
    // Where requests are at hand, their own scatter says how sure a difference is.
    if (slices !== null && others !== null) return null;
    const [a, b] = [
      baseline.outputTokensPerSec ?? baseline.requestsPerSec,
      other.outputTokensPerSec ?? other.requestsPerSec,
    ];
    if (!known(a) || !known(b) || a === 0 || Math.abs(b / a - 1) > noise) return null;
    return {
      severity: 'info',
      message: {
        en: `throughput differs by ${percent(Math.abs(b / a - 1))}, which two runs of the same server do as well.`,
        zh: `吞吐相差 ${percent(Math.abs(b / a - 1))}，同一服务器的两次运行也会有此差异。`,
      },
      evidence: { baseline: a, candidate: b, changeRatio: b / a - 1 },
      advice: { en: 'Repeat both sides several times before naming a winner.', zh: '在下结论前请将双方各重复多次。' },
    };
  },
};
