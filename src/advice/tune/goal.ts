import { userError } from '../../core/index.ts';
import type { TuneFile } from './tune-file-schema.ts';

/** What a goal adds to a tune file: SLOs, and settings that the guide fixes for it. */
export interface Goal {
  slos: string[];
  /** The largest batch under the limit is asked for, as the guide does. */
  largestBatch: boolean;
  /** Settings by engine; what the file's space names already is left alone. */
  settings: { mindie: Record<string, boolean>; vllm: Record<string, boolean> };
}

const limit = String.raw`(\d+(?:\.\d+)?(?:ms|s))`;
const decodeLimit = new RegExp(`^decode-limit=${limit}$`);
const both = new RegExp(`^ttft=${limit},\\s*decode=${limit}$`);
const firstToken = new RegExp(`^ttft=${limit}$`);

/**
 * The three goals of the MindIE tuning guide: most throughput; most throughput under a mean decode time; and under a mean time to
 * the first token as well, for which prefill goes first (supportSelectBatch false).
 */
export function readGoal(word: string): Goal {
  const eager = { mindie: { supportSelectBatch: true }, vllm: {} };
  const prompt = { mindie: { supportSelectBatch: false }, vllm: {} };
  if (word === 'throughput') return { slos: [], largestBatch: false, settings: eager };
  const decode = decodeLimit.exec(word)?.[1];
  if (decode !== undefined) return { slos: [`itl.mean<${decode}`], largestBatch: true, settings: eager };
  const first = firstToken.exec(word)?.[1];
  if (first !== undefined) return { slos: [`ttft.mean<${first}`], largestBatch: false, settings: prompt };
  const [, ttft, gap] = both.exec(word) ?? [];
  if (ttft !== undefined && gap !== undefined) {
    return {
      slos: [`ttft.mean<${ttft}`, `itl.mean<${gap}`],
      largestBatch: true,
      settings: prompt,
    };
  }
  throw userError(
    'bad-goal',
    `"${word.slice(0, 60)}" is not a goal`,
    `"${word.slice(0, 60)}" 不是可用的目标`,
    'Write throughput, decode-limit=50ms, ttft=8s, or ttft=8s,decode=50ms.',
    '请写 throughput、decode-limit=50ms、ttft=8s 或 ttft=8s,decode=50ms。',
    '--goal',
  );
}

/** The file with the goal's SLOs in place of its own, and the goal's settings where the file applies them but does not search them. */
export function withGoal(file: TuneFile, goal: Goal): TuneFile {
  const engine = file.engine === 'vllm' ? 'vllm' : 'mindie';
  const applied = new Set((file.apply?.config ?? []).flatMap(({ set }) => Object.keys(set)));
  const space = { ...file.space };
  for (const [name, value] of Object.entries(goal.settings[engine])) {
    const known = Object.keys(space).find((key) => key === name || key.endsWith(`.${name}`));
    if (known !== undefined || applied.has(name)) space[known ?? name] = value;
  }
  return { ...file, space, slo: goal.slos, objective: 'outputTokensPerSec' };
}
