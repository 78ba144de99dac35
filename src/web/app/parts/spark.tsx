import type { Row } from '../../api/shapes.ts';
import { num } from '../format.ts';
import { t } from '../state/settings.ts';

const [width, height, edge] = [96, 26, 3];

/** Throughput against load in a few pixels; a single point is a dot. */
export function Spark({ spark }: { spark: Row['spark'] }) {
  const points = spark.load
    .map((load, i) => ({ x: load, y: spark.outputTokensPerSec[i] ?? null }))
    .filter((point): point is { x: number; y: number } => point.x !== null && point.y !== null)
    .toSorted((a, b) => a.x - b.x);
  if (points.length === 0) return <span class="faint">–</span>;
  const [least, most] = [points[0]!.x, points.at(-1)!.x];
  const top = Math.max(...points.map(({ y }) => y), 1e-9);
  const at = points.map(({ x, y }): [number, number] => [
    edge + (most === least ? 0.5 : (x - least) / (most - least)) * (width - 2 * edge),
    height - edge - (y / top) * (height - 2 * edge),
  ]);
  const said = t(
    `Throughput at load ${num(least)} to ${num(most)}: up to ${num(top)} tokens/s`,
    `负载 ${num(least)} 至 ${num(most)} 的吞吐：最高 ${num(top)} tok/s`,
  );
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={said}>
      {at.length > 1 && <polyline points={at.map((pair) => pair.map((n) => n.toFixed(1)).join(',')).join(' ')} />}
      {at.length <= 8 && at.map(([x, y]) => <circle key={x} cx={x} cy={y} r={1.9} />)}
    </svg>
  );
}
