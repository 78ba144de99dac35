import { quantile } from '../../../core/index.ts';
import type { Exchange } from '../../../core/index.ts';
import { time } from '../format.ts';
import { useState } from '../preact.ts';
import { t } from '../state/settings.ts';

const [width, height] = [1000, 150];
const mostBars = 1200;

interface Gap {
  fromMs: number;
  toMs: number;
  tokens: number;
}

/** Every gap of a request, from its sending on: a bar as wide as the gap and as high, so that a stall cannot hide. */
export function GapChart({ exchange }: { exchange: Exchange }) {
  const [over, setOver] = useState<Gap | null>(null);
  const { atMs, tokens } = exchange.chunks;
  const sent = exchange.sentMs ?? exchange.dueMs;
  const gaps: Gap[] = atMs.map((at, i) => ({ fromMs: i === 0 ? sent : atMs[i - 1]!, toMs: at, tokens: tokens[i]! }));
  const later = Float64Array.from(gaps.slice(1), ({ fromMs, toMs }) => toMs - fromMs).sort();
  const span = Math.max(1e-6, exchange.endMs - sent);
  // The wait for the first token would flatten everything else: the height is that of the gaps after it.
  const top = Math.max(later.at(-1) ?? 0, (quantile(later, 0.5) ?? 0) * 3, 1e-6);
  const shown = gaps.length <= mostBars ? gaps : longest(gaps, mostBars);
  const x = (ms: number): number => ((ms - sent) / span) * width;
  const longestLater = later.at(-1);
  return (
    <div class="gaps">
      <p class="faint">
        {t(
          `${gaps.length} gaps: first token after ${time(gaps[0]!.toMs - gaps[0]!.fromMs)}, then median ${time(quantile(later, 0.5))}, longest ${time(longestLater ?? null)}`,
          `${gaps.length} 个间隔：首 Token ${time(gaps[0]!.toMs - gaps[0]!.fromMs)}，之后中位数 ${time(quantile(later, 0.5))}，最长 ${time(longestLater ?? null)}`,
        )}
        {over !== null && (
          <strong>
            {' · '}
            {time(over.fromMs - sent)} + {time(over.toMs - over.fromMs)} ({over.tokens} token)
          </strong>
        )}
      </p>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('Gaps between tokens over the request', '请求中各 token 的间隔')}
        onMouseLeave={() => setOver(null)}
      >
        {shown.map((gap, i) => {
          const gapMs = gap.toMs - gap.fromMs;
          const tall = Math.max(2, Math.min(1, gapMs / top) * (height - 6));
          return (
            <rect
              key={i}
              class={gap.fromMs === sent ? 'wait' : 'work'}
              x={x(gap.fromMs)}
              width={Math.max(0.6, x(gap.toMs) - x(gap.fromMs) - 0.4)}
              y={height - tall}
              height={tall}
              onMouseEnter={() => setOver(gap)}
            />
          );
        })}
      </svg>
      <div class="gap-axis faint">
        <span>0</span>
        <span>{time(span / 2)}</span>
        <span>{time(span)}</span>
      </div>
    </div>
  );
}

/** So many of the longest, in the order of time. */
function longest(gaps: readonly Gap[], most: number): Gap[] {
  return gaps
    .toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))
    .slice(0, most)
    .toSorted((a, b) => a.fromMs - b.fromMs);
}
