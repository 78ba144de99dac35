import type { PlanDocument } from '../../../advice/plan/index.ts';
import { num } from '../format.ts';
import { both, t } from '../state/settings.ts';

/** The memory of one card as a bar: what the system, the weights and the cache take, and what is left. */
export function MemoryBar({ plan }: { plan: PlanDocument }) {
  const { memory, cards, npuMemSizeGiB } = plan;
  const parts = [
    { name: both('system', '系统'), gib: memory.idleGiB, kind: 'idle' },
    { name: both('weights', '权重'), gib: memory.weightsPerCardGiB, kind: 'weights' },
    { name: both('KV cache', 'KV Cache'), gib: npuMemSizeGiB, kind: 'kv' },
    { name: both('left for running', '运行时可用'), gib: Math.max(0, memory.leftGiB), kind: 'left' },
  ] as const;
  const total = Math.max(
    memory.totalGiB,
    parts.reduce((sum, { gib }) => sum + gib, 0),
  );
  return (
    <section class="memory" aria-label={t('Memory of one card', '单卡显存')}>
      <h2>
        {t(`Memory of one card: ${num(memory.totalGiB)} GiB`, `单卡显存：${num(memory.totalGiB)} GiB`)}{' '}
        <span class="faint">
          {cards.count} × {cards.name}
        </span>
      </h2>
      <div
        class="memory-bar"
        role="img"
        aria-label={parts.map(({ name, gib }) => `${t(name)} ${num(gib)} GiB`).join(', ')}
      >
        {parts.map(({ gib, kind }) => (
          <div key={kind} class={`part ${kind}`} style={{ width: `${(gib / total) * 100}%` }} />
        ))}
      </div>
      <ul class="memory-key">
        {parts.map(({ name, gib, kind }) => (
          <li key={kind}>
            <span class={`dot ${kind}`} /> {t(name)} <strong>{num(gib)} GiB</strong>
          </li>
        ))}
      </ul>
    </section>
  );
}
