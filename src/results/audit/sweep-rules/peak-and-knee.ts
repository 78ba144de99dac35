import type { SweepRule } from '../rule.ts';
import { percent, show } from '../wording.ts';
import { curveOf } from './sweep-curve.ts';

/** The knee is the lowest load that gives this share of the peak. */
const kneeShare = 0.95;
/** A fall from the peak larger than this is overload, not noise. */
const overload = 0.05;

/** Where a sweep's throughput peaks, where more load stops paying, and where it falls. */
export const peakAndKnee: SweepRule = {
  code: 'peak-and-knee',
  severities: ['info', 'warn'],
  meaning: {
    en: 'Past the knee more concurrency buys waiting, not speed; past an overload point it costs speed. A curve still rising at its last point has not shown its peak.',
    zh: '越过拐点后，更高并发只带来等待；越过过载点后吞吐下降。末点仍在上升的曲线尚未达到峰值。',
  },
  taughtBy: 'Qwen1.5-7B on MindIE: 5,354 tokens/s at 200, 5,941 at 720, while mean latency grows from 7.8 to 18.8 s.',
  check(points) {
    const curve = curveOf(points);
    if (curve.length < 3) return [];
    const peak = curve.reduce((best, next) => (next.rate > best.rate ? next : best));
    const knee = curve.find((at) => at.rate >= kneeShare * peak.rate)!;
    const last = curve.at(-1)!;
    const rising = peak === last && curve.at(-2)!.rate < kneeShare * peak.rate;
    // Points beyond it that do not count tell nothing of the peak.
    const beyond = points.some(({ load }) => (load.concurrency ?? load.ratePerSec ?? 0) > last.load);
    const fallen = 1 - last.rate / peak.rate;
    const over = fallen > overload;
    return [
      {
        severity: over ? 'warn' : 'info',
        message: {
          en: rising
            ? `Throughput still rises at the last ${beyond ? 'valid ' : ''}point (${show(last.rate)} at ${last.load}): the peak was not reached.`
            : `Throughput peaks at ${peak.load} (${show(peak.rate)}); ${percent(kneeShare)} of it is reached at ${knee.load}${over ? `; at ${last.load} it has fallen by ${percent(fallen)}: overload` : ''}.`,
          zh: rising
            ? `吞吐在最后一个${beyond ? '有效' : ''}点仍在上升（${last.load} 时为 ${show(last.rate)}）：尚未达到峰值。`
            : `吞吐在 ${peak.load} 处达到峰值（${show(peak.rate)}）；在 ${knee.load} 处已达其 ${percent(kneeShare)}${over ? `；在 ${last.load} 处下降 ${percent(fallen)}：过载` : ''}。`,
        },
        evidence: {
          peakLoad: peak.load,
          peakRate: peak.rate,
          kneeLoad: knee.load,
          lastLoad: last.load,
          fallenRatio: fallen,
        },
        advice: {
          en: rising
            ? beyond
              ? 'Measure the higher loads again so that they count.'
              : 'Add points at higher load.'
            : `Serve at about ${knee.load}; use higher loads only to see how it fails.`,
          zh: rising
            ? beyond
              ? '重新测量更高负载的点，使其有效。'
              : '增加更高负载的点。'
            : `建议在约 ${knee.load} 处运行；更高负载仅用于观察其失效方式。`,
        },
      },
    ];
  },
};
