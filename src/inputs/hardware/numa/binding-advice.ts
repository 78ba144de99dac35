import type { Phrase } from '../../../core/index.ts';
import type { Device } from '../devices/device.ts';
import { formatCpuList, parseCpuList } from './cpu-list.ts';
import { numaDistance } from './numa-layout.ts';
import type { NumaLayout, NumaNode } from './numa-layout.ts';

/** Which node to bind a server to, and why. */
export interface BindingAdvice {
  node: number;
  /** Cards near that node, of all whose node is known. */
  cards: number;
  cardsKnown: number;
  /** `numactl -N0 -m0`, or `taskset -c 24-47` where no card's node is known: put in front of the server's command. */
  command: string;
  evidence: Phrase;
  /** Distances from the node to every node, in the order of the layout; null = not told. */
  distances: Record<string, number> | null;
  /** What MindIE's guide advises for its daemon beside that. */
  also: Phrase | null;
}

/**
 * The node that most cards are near; on a tie the one nearest to all cards. null = one node only, or no card's node is
 * known and MindIE's guide has nothing to say either.
 */
export function bindingAdvice(layout: NumaLayout, devices: readonly Device[]): BindingAdvice | null {
  const withCpus = layout.nodes.filter((node) => node.cpus.length > 0);
  if (withCpus.length < 2) return null;
  const near = devices.map((device) => nodeNear(layout, device)).filter((node) => node !== null);
  if (near.length === 0) return daemonOnly(layout, devices);
  const count = (node: number): number => near.filter((one) => one === node).length;
  const far = (node: number): number => near.reduce((sum, one) => sum + (numaDistance(layout, node, one) ?? 0), 0);
  const best = withCpus.toSorted(
    (a, b) => count(b.node) - count(a.node) || far(a.node) - far(b.node) || a.node - b.node,
  )[0]!;
  const distances = distancesFrom(layout, best.node);
  return {
    node: best.node,
    cards: count(best.node),
    cardsKnown: near.length,
    command: `numactl -N${best.node} -m${best.node}`,
    evidence: evidenceFor(layout, best.node, count(best.node), near.length, distances),
    distances,
    also: devices.some((device) => device.vendor === 'huawei') ? oddNode(layout, best.node) : null,
  };
}

/** Where no card tells its node, MindIE's guide still has advice for its daemon; null = for other cards than Ascend's. */
function daemonOnly(layout: NumaLayout, devices: readonly Device[]): BindingAdvice | null {
  const odd = devices.some((device) => device.vendor === 'huawei') ? oddNodes(layout, null)[0] : undefined;
  if (odd === undefined) return null;
  return {
    node: odd.node,
    cards: 0,
    cardsKnown: 0,
    command: `taskset -c ${formatCpuList(odd.cpus)}`,
    evidence: {
      en: `${layout.nodes.length} nodes (${layout.source}); no card tells which one it is near (npu-smi info -t topo would)`,
      zh: `${layout.nodes.length} 个节点（${layout.source}）；没有卡的归属信息（可用 npu-smi info -t topo 查看）`,
    },
    distances: distancesFrom(layout, odd.node),
    also: oddNode(layout, null),
  };
}

/** A card's node: told by the topology, or the one node that holds all CPUs of its affinity. */
function nodeNear(layout: NumaLayout, device: Device): number | null {
  if (device.numaNode !== null)
    return layout.nodes.some((node) => node.node === device.numaNode) ? device.numaNode : null;
  const cpus = device.cpuAffinity === null ? null : parseCpuList(device.cpuAffinity);
  if (cpus === null || cpus.length === 0) return null;
  return layout.nodes.find((node) => cpus.every((cpu) => node.cpus.includes(cpu)))?.node ?? null;
}

function distancesFrom(layout: NumaLayout, node: number): Record<string, number> | null {
  if (layout.distances === null) return null;
  return Object.fromEntries(
    layout.nodes.map((other) => [`node${other.node}`, numaDistance(layout, node, other.node)!]),
  );
}

function evidenceFor(
  layout: NumaLayout,
  node: number,
  cards: number,
  known: number,
  distances: Record<string, number> | null,
): Phrase {
  const list =
    distances === null
      ? null
      : Object.entries(distances)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ');
  const { cpus, freeBytes } = layout.nodes.find((one) => one.node === node)!;
  const free = freeBytes === null ? null : Math.round(freeBytes / 1024 ** 2);
  const freeEn =
    free === null ? '' : `; ${free} MB are free there (with too little, use --preferred=${node} in place of -m${node})`;
  const freeZh = free === null ? '' : `；该节点空闲内存 ${free} MB（不足时以 --preferred=${node} 代替 -m${node}）`;
  return {
    en: `${cards} of ${known} cards are attached to node ${node} (CPUs ${formatCpuList(cpus)})${list === null ? '; distances are not told' : `; distances from it: ${list}`}${freeEn}`,
    zh: `${known} 张卡中有 ${cards} 张接在节点 ${node}（CPU ${formatCpuList(cpus)}）${list === null ? '；未提供节点距离' : `；到各节点的距离：${list}`}${freeZh}`,
  };
}

/** Nodes of odd number that have CPUs, the nearest to `near` first. */
function oddNodes(layout: NumaLayout, near: number | null): NumaNode[] {
  const far = (node: NumaNode): number => (near === null ? 0 : (numaDistance(layout, near, node.node) ?? 0));
  return layout.nodes
    .filter((node) => node.node % 2 === 1 && node.cpus.length > 0)
    .toSorted((a, b) => far(a) - far(b) || a.node - b.node);
}

/** MindIE's tuning guide binds its daemon to an odd node, away from the model processes; the nearest odd one is taken. */
function oddNode(layout: NumaLayout, near: number | null): Phrase | null {
  const [odd] = oddNodes(layout, near);
  if (odd === undefined) return null;
  const command = `taskset -c ${formatCpuList(odd.cpus)} ./bin/mindieservice_daemon`;
  return {
    en: `MindIE's guide binds the serving daemon to the CPUs of an odd node, so that it does not compete with the model processes: ${command}`,
    zh: `MindIE 指南建议将服务进程绑定到奇数节点的 CPU，避免与模型进程争抢：${command}`,
  };
}
