import type { ClientHealth } from '../../core/index.ts';

/** The health of all threads as one: the worst of what is a delay or a room, the sum of what adds up. */
export function joinedHealth(healths: readonly ClientHealth[]): ClientHealth | null {
  if (healths.length <= 1) return healths[0] ?? null;
  const known = (of: (health: ClientHealth) => number | null | undefined): number[] =>
    healths.map(of).filter((value) => value !== null && value !== undefined);
  const most = (of: (health: ClientHealth) => number | null | undefined): number | null => {
    const values = known(of);
    return values.length === 0 ? null : Math.max(...values);
  };
  const least = (of: (health: ClientHealth) => number | null | undefined): number | null => {
    const values = known(of);
    return values.length === 0 ? null : Math.min(...values);
  };
  const sum = (of: (health: ClientHealth) => number | null | undefined): number =>
    known(of).reduce((total, value) => total + value, 0);
  const means = (name: 'pollRatio' | 'napRatio'): Partial<ClientHealth> => {
    const values = known((health) => health[name]);
    return values.length === 0 ? {} : { [name]: values.reduce((total, value) => total + value, 0) / values.length };
  };
  const stolen = most((health) => health.stolenRatio);
  const skew = known((health) => health.serverClockSkewMs);
  return {
    loopDelayP50Ms: most((health) => health.loopDelayP50Ms),
    loopDelayP90Ms: most((health) => health.loopDelayP90Ms ?? null),
    loopDelayP99Ms: most((health) => health.loopDelayP99Ms),
    loopDelayMaxMs: most((health) => health.loopDelayMaxMs),
    cpuRatio: known((health) => health.cpuRatio).length === 0 ? null : sum((health) => health.cpuRatio),
    threads: healths.length,
    connectionsOpened: sum((health) => health.connectionsOpened),
    connectionsReused: sum((health) => health.connectionsReused),
    rssMaxBytes: most((health) => health.rssMaxBytes),
    cpuPerThread: healths.flatMap((health) => health.cpuPerThread ?? []),
    cpuWaitRatio: most((health) => health.cpuWaitRatio) ?? 0,
    // Of the host, and so the same for every thread.
    ...(stolen !== null && { stolenRatio: stolen }),
    ...means('pollRatio'),
    ...means('napRatio'),
    gc: {
      pauses: sum((health) => health.gc?.pauses),
      totalMs: sum((health) => health.gc?.totalMs),
      maxMs: most((health) => health.gc?.maxMs) ?? 0,
    },
    ...joinedConnecting(healths),
    sendBacklogMaxBytes: most((health) => health.sendBacklogMaxBytes) ?? 0,
    socketBuffersMaxBytes: most((health) => health.socketBuffersMaxBytes),
    fileHandlesLeft: least((health) => health.fileHandlesLeft),
    fileHandlesLimit: least((health) => health.fileHandlesLimit),
    portsLeft: least((health) => health.portsLeft),
    portsLimit: least((health) => health.portsLimit),
    ...(skew.length > 0 && { serverClockSkewMs: skew.reduce((total, value) => total + value, 0) / skew.length }),
  };
}

function joinedConnecting(healths: readonly ClientHealth[]): Pick<ClientHealth, 'connecting'> {
  const all = healths.flatMap(({ connecting }) => connecting ?? []);
  const count = all.reduce((total, each) => total + each.count, 0);
  if (count === 0) return {};
  const secure = all.filter(({ tlsMeanMs }) => tlsMeanMs !== null);
  const handshakes = secure.reduce((total, each) => total + each.count, 0);
  return {
    connecting: {
      count,
      meanMs: all.reduce((total, each) => total + each.meanMs * each.count, 0) / count,
      maxMs: Math.max(...all.map(({ maxMs }) => maxMs)),
      tlsMeanMs:
        handshakes === 0 ? null : secure.reduce((total, each) => total + each.tlsMeanMs! * each.count, 0) / handshakes,
      tlsMaxMs: handshakes === 0 ? null : Math.max(...secure.map(({ tlsMaxMs }) => tlsMaxMs!)),
    },
  };
}
