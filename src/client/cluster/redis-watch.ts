import type { Cluster } from './open-cluster.ts';

/** Redis may be away for a while; `gone` is called when it was given up. Gives how to stop watching. */
export function watchRedis({ redis, options }: Pick<Cluster, 'redis' | 'options'>, gone: () => void): () => void {
  let isAway = false;
  const away = (): void => {
    if (!isAway) options.tell({ say: 'redis-away' });
    isAway = true;
  };
  const back = (): void => {
    if (isAway) options.tell({ say: 'redis-back' });
    isAway = false;
  };
  redis.on('close', away);
  redis.on('ready', back);
  redis.on('end', gone);
  if (redis.status === 'end') gone();
  return () => {
    redis.off('close', away);
    redis.off('ready', back);
    redis.off('end', gone);
  };
}
