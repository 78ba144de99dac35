import { halfUlp } from '../../../core/index.ts';
import type { Summary } from '../../../core/index.ts';
import { broken, otherIdentities } from '../identities.ts';
import type { PointRule } from '../rule.ts';
import { show } from '../wording.ts';

/** Two places of one log block say different things of the same figure. */
export const figuresDisagree: PointRule = {
  code: 'figures-disagree',
  severities: ['invalid'],
  meaning: {
    en: "A log says most figures twice, outright or by arithmetic (tokens over duration, TTFT beside latency of a run that was not streamed, MindIE's lpct and speeds). Where the two differ by more than rounding, one was damaged.",
    zh: '日志中的多数数值会出现两次，或直接重复，或可由算术得出（token 数除以用时、非流式运行的 TTFT 与延迟、MindIE 的 lpct 与速度等）。若两者之差超出舍入误差，则其一已损坏。',
  },
  taughtBy:
    'All six MindIE tables of the published QwQ-32B test reproduce lpct, GenerateSpeedPerClient and CharactersPerToken to the printed digit.',
  check(point) {
    const wrong = otherIdentities(point).find((identity) => broken(identity));
    if (wrong !== undefined) {
      return says(
        `${wrong.formula}: ${show(wrong.said)} is printed, ${show(wrong.computed)} follows`,
        `${wrong.formula}：标注 ${show(wrong.said)}，计算得 ${show(wrong.computed)}`,
        wrong.key,
        wrong.said,
        wrong.computed,
      );
    }
    const pair = secondMention(point);
    if (pair === null) return null;
    return says(
      `${pair.key} is printed as ${pair.first} and as ${pair.second}`,
      `${pair.key} 一处为 ${pair.first}，另一处为 ${pair.second}`,
      pair.key,
      Number(pair.first),
      Number(pair.second),
    );
  },
};

function says(en: string, zh: string, key: string, said: number, other: number): ReturnType<PointRule['check']> {
  return {
    severity: 'invalid',
    message: { en: `The log contradicts itself: ${en}.`, zh: `日志自相矛盾：${zh}。` },
    evidence: { key, said, other },
    advice: {
      en: 'Look the figures up in the original log; one of them is not what was measured.',
      zh: '请在原始日志中核对，其中之一不是实测值。',
    },
  };
}

/** A figure that the block prints twice with different digits. */
function secondMention(point: Summary): { key: string; first: string; second: string } | null {
  for (const mention of point.alsoPrinted ?? []) {
    const first = point.printed[mention.key];
    if (mention.where !== 'block' || first === undefined) continue;
    const room = halfUlp(mention.digits) + halfUlp(first);
    if (Math.abs(Number(mention.digits) - Number(first)) > room)
      return { key: mention.key, first, second: mention.digits };
  }
  if (point.load.stream !== false || point.source.tool !== 'evalscope') return null;
  const packages = point.printed['server.packagesPerRequest'];
  if (packages !== undefined && Number(packages) !== 1)
    return { key: 'server.packagesPerRequest', first: packages, second: '1' };
  for (const [key, digits] of Object.entries(point.printed)) {
    const twin = key.startsWith('ttftMs.')
      ? key.replace('ttftMs', 'latencyMs')
      : key === 'server.packageLatencyMs'
        ? 'latencyMs.mean'
        : null;
    const other = twin === null || !Object.hasOwn(point.printed, twin) ? undefined : point.printed[twin];
    if (other === undefined || !sameUnit(digits, other)) continue;
    if (Math.abs(Number(digits) - Number(other)) > halfUlp(digits) + halfUlp(other))
      return { key: twin!, first: other, second: digits };
  }
  return null;
}

/** Newer versions print TTFT in ms beside latency in s; then the digits cannot be compared one by one. */
function sameUnit(a: string, b: string): boolean {
  const ratio = Number(a) / Number(b);
  return !(ratio > 300 && ratio < 3000);
}
