import { limitOf } from '../limits.ts';
import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** The client had to wait for processors that others, or the hypervisor, had. */
export const hostWait: PointRule = {
  code: 'host-wait',
  severities: ['info'],
  meaning: {
    en: "The client's threads waited for a processor a fifth of the time and more, though they had little to do, or the hypervisor took a twentieth of the host's processor time and more (`steal` in /proc/stat). It explains much of the noise between runs on shared machines.",
    zh: '客户端线程负载不高，却有五分之一以上的时间在等待处理器，或虚拟化平台收走了主机二十分之一以上的处理器时间（/proc/stat 的 steal）。共享机器上运行之间的噪声多由此而来。',
  },
  taughtBy:
    'Half of the noise between runs on two shared cores: waits of 8 to 30 % beside a processor use of 3 %. Three of sixty figures of a bench were off, each where 3.5 to 13 % of the processors were stolen.',
  check({ client }, context) {
    if (client === null) return null;
    const [waited, stolen] = [client.cpuWaitRatio ?? null, client.stolenRatio ?? null];
    const waitedMuch = waited !== null && waited >= limitOf(context, 'host-wait');
    const stolenMuch = stolen !== null && stolen >= limitOf(context, 'host-stolen');
    if (!waitedMuch && !stolenMuch) return null;
    const parts = [
      ...(waitedMuch
        ? [
            {
              en: `this client waited for a processor ${percent(waited)} of the time`,
              zh: `客户端有 ${percent(waited)} 的时间在等待处理器`,
            },
          ]
        : []),
      ...(stolenMuch
        ? [
            {
              en: `the hypervisor gave ${percent(stolen)} of this host's processor time to others`,
              zh: `虚拟化平台收走了本机 ${percent(stolen)} 的处理器时间`,
            },
          ]
        : []),
    ];
    const en = parts.map((part) => part.en).join(', and ');
    return {
      severity: 'info',
      message: {
        en: `${en[0]!.toUpperCase()}${en.slice(1)}: that adds to every time and to the scatter between runs.`,
        zh: `${parts.map((part) => part.zh).join('，且')}：这会加到每个时间上，并加大运行之间的离散。`,
      },
      evidence: { cpuWaitRatio: waited, stolenRatio: stolen, cpuRatio: client.cpuRatio },
      advice: {
        en: 'Keep other work off this host, give client and server cores of their own (taskset), take a machine that is not shared where time is stolen, or repeat the run before naming a winner.',
        zh: '避免在本机运行其他任务，为客户端与服务器分配独立的核（taskset）；处理器时间被收走时换用独占机器，或重复运行后再下结论。',
      },
    };
  },
};
