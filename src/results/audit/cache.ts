import type { Summary } from '../../core/index.ts';

/** What share of the prompts' tokens a server took from its prefix cache, and who said so. */
export interface CacheHits {
  hits: number;
  /** usage: of the requests themselves; metrics: of all that the server was asked meanwhile. */
  by: 'usage' | 'metrics';
}

/** Null where nobody said. */
export function cacheOf({ cachedInputRatio, server }: Pick<Summary, 'cachedInputRatio' | 'server'>): CacheHits | null {
  if (cachedInputRatio !== null) return { hits: cachedInputRatio, by: 'usage' };
  const told = server?.['prefixHitRatio'];
  return typeof told === 'number' && Number.isFinite(told) ? { hits: told, by: 'metrics' } : null;
}
