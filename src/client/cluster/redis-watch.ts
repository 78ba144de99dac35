import type { Cluster } from './open-cluster.ts';

/** Redis may be away for a while; `gone` is called when it stays away too long. Gives how to stop watching. */
export function watchRedis({ redis, options }: Pick<Cluster, 'redis' | 'options'>, gone: () => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  const away = (): void => {
    if (timer !== null) return;
    options.tell({ say: 'redis-away' });
    timer = setTimeout(gone, options.redisWaitMs);
  };
  const back = (): void => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    options.tell({ say: 'redis-back' });
  };
  redis.on('close', away);
  redis.on('ready', back);
  return () => {
    redis.off('close', away);
    redis.off('ready', back);
    if (timer !== null) clearTimeout(timer);
  };
}
