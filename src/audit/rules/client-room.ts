import type { PointRule } from '../rule.ts';

/** Below this share of the limit the next peak finds nothing left. */
const scarceShare = 0.1;

/** The client nearly ran out of file handles or ports: one step more, and requests fail on this side. */
export const clientRoom: PointRule = {
  code: 'client-room',
  severities: ['warn'],
  meaning: {
    en: 'File handles or outgoing ports of the client were nearly used up: connections beyond that fail on the client, not on the server.',
    zh: '客户端文件句柄或出站端口几乎用尽：再多的连接会在客户端失败，而不是服务器。',
  },
  taughtBy:
    'Benchmarks that open a connection per request leave each port waiting for a minute; at 500 requests/s the usual 28,000 ports are gone in less.',
  check({ client }) {
    if (client === null) return null;
    const { fileHandlesLeft, fileHandlesLimit, portsLeft, portsLimit } = client;
    const scarce = (left: number | null | undefined, limit: number | null | undefined): boolean =>
      left !== null && left !== undefined && limit !== null && limit !== undefined && left < scarceShare * limit;
    const handles = scarce(fileHandlesLeft, fileHandlesLimit);
    const ports = scarce(portsLeft, portsLimit);
    if (!handles && !ports) return null;
    const what = {
      en: [
        ...(handles ? [`${fileHandlesLeft} of ${fileHandlesLimit} file handles`] : []),
        ...(ports ? [`${portsLeft} of ${portsLimit} ports`] : []),
      ].join(' and '),
      zh: [
        ...(handles ? [`文件句柄剩 ${fileHandlesLeft}/${fileHandlesLimit}`] : []),
        ...(ports ? [`端口剩 ${portsLeft}/${portsLimit}`] : []),
      ].join('，'),
    };
    return {
      severity: 'warn',
      message: {
        en: `The client had little room left for connections: ${what.en} at the least.`,
        zh: `客户端可用连接资源不足：最少时${what.zh}。`,
      },
      evidence: {
        fileHandlesLeft: fileHandlesLeft ?? null,
        fileHandlesLimit: fileHandlesLimit ?? null,
        portsLeft: portsLeft ?? null,
        portsLimit: portsLimit ?? null,
      },
      advice: {
        en: [
          ...(handles ? ['Raise the limit: ulimit -n 65536.'] : []),
          ...(ports
            ? ['Widen the ports: sysctl net.ipv4.ip_local_port_range="1024 65535", or use more machines.']
            : []),
        ].join(' '),
        zh: [
          ...(handles ? ['请提高上限：ulimit -n 65536。'] : []),
          ...(ports ? ['请扩大端口范围：sysctl net.ipv4.ip_local_port_range="1024 65535"，或使用更多机器。'] : []),
        ].join(''),
      },
    };
  },
};
