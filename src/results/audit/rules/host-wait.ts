import { limitOf } from '../limits.ts';
import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** The client had to wait for processors that others, or the hypervisor, had. */
export const hostWait: PointRule = {
  code: 'host-wait',
  severities: ['info'],
  meaning: {
    en: "The client's threads waited for a processor a fifth of the time and more, though they had little to do: other work on this host, or a hypervisor that takes its processors away. It explains much of the noise between runs on shared machines.",
    zh: '客户端线程负载不高，却有五分之一以上的时间在等待处理器：主机上有其他任务，或虚拟化平台收走了处理器。共享机器上运行之间的噪声多由此而来。',
  },
  taughtBy: 'Half of the noise between runs on two shared cores: waits of 8 to 30 % beside a processor use of 3 %.',
  check({ client }, context) {
    const waited = client?.cpuWaitRatio ?? null;
    if (client === null || waited === null || waited < limitOf(context, 'host-wait')) return null;
    return {
      severity: 'info',
      message: {
        en: `This client waited for a processor ${percent(waited)} of the time: other work on its host adds to every time and to the scatter between runs.`,
        zh: `客户端有 ${percent(waited)} 的时间在等待处理器：主机上的其他任务会加到每个时间上，并加大运行之间的离散。`,
      },
      evidence: { cpuWaitRatio: waited, cpuRatio: client.cpuRatio },
      advice: {
        en: 'Keep other work off this host, give client and server cores of their own (taskset), or repeat the run before naming a winner.',
        zh: '避免在本机运行其他任务，为客户端与服务器分配独立的核（taskset），或重复运行后再下结论。',
      },
    };
  },
};
