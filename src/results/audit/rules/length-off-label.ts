import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { serverFigure } from '../server-figure.ts';
import { percent, show } from '../wording.ts';

/** Share of the asked length that still counts as hit. */
const near = 0.2;

/** What was generated has little to do with the length on the label. */
export const lengthOffLabel: PointRule = {
  code: 'length-off-label',
  severities: ['warn'],
  meaning: {
    en: 'The label asks for a length and the run had another: cells of an input × output matrix then sit at other places than their labels say.',
    zh: '标签要求的长度与实际不符：输入 × 输出矩阵中的单元格并不在标签所示的位置。',
  },
  taughtBy:
    'SUS-Chat-34B on V100: "generate_size: 4000" gave 683 tokens, "100" gave 203; only the printed output length tells where a cell lies.',
  check(point) {
    const asked = serverFigure(point, 'generateSize');
    const tokens = point.outputTokens?.mean ?? null;
    if (asked === null || asked <= 0 || !known(tokens)) return null;
    const off = tokens / asked - 1;
    if (Math.abs(off) <= near) return null;
    return {
      severity: 'warn',
      message: {
        en: `The label asks for an output of ${asked}, the run produced ${show(tokens)} tokens on average (${off > 0 ? '+' : '−'}${percent(Math.abs(off))}).`,
        zh: `标签要求输出 ${asked}，实际平均输出 ${show(tokens)} 个 token（${off > 0 ? '+' : '−'}${percent(Math.abs(off))}）。`,
      },
      evidence: { asked, meanOutputTokens: tokens, offRatio: off },
      advice: {
        en: 'Place the point at its real length; use ignore_eos with a fixed max_tokens to get the length asked for.',
        zh: '按实际长度放置该点；使用 ignore_eos 与固定 max_tokens 以获得所需长度。',
      },
    };
  },
};
