import type { Finding } from '../../core/index.ts';
import type { SelftestReport } from './run-selftest.ts';

/** What cannot be seen in the report itself. */
export interface SelftestCircumstances {
  /** The events carry `emit_ns`, but it is no time of this host. */
  alien: boolean;
  /** Stamps are cut to the millisecond. */
  coarse: boolean;
  interrupted: boolean;
}

/** Stamps that lie further ahead of our reads than this are of no clock of this host. */
const aheadMs = 1;
/** More failures than this part of all requests make the rest a measurement of something else. */
const failedRatio = 0.01;

/** A send that is later than this shows in what is measured at a rate. */
const lateSendMs = 20;

/** Why a selftest may not be what it seems. */
export function selftestDoubts(
  found: Omit<SelftestReport, 'verdict'>,
  circumstances: SelftestCircumstances,
): Finding[] {
  const { timestampErrorMs: error, tokenGapMs, cpuRatio, cpuWaitRatio } = found;
  const findings: Finding[] = [];
  const { alien, coarse, interrupted } = circumstances;
  const starved = (cpuWaitRatio ?? 0) > (cpuRatio ?? 0);
  if (interrupted) {
    findings.push({
      code: 'interrupted',
      severity: 'warn',
      message: 'It was ended before all of its parts were done.',
      evidence: { planned: found.planned },
      advice: 'Let it run to its end for all figures.',
      zh: { message: '在所有部分完成之前被中断。', advice: '如需全部数值，请让它运行到结束。' },
    });
  }
  if (found.failed > 0) {
    const causes = Object.entries(found.byProblem)
      .map(([code, count]) => `${code} ${count}`)
      .join(', ');
    findings.push({
      code: 'failures',
      severity: found.failed > failedRatio * found.planned ? 'invalid' : 'warn',
      message: `${found.failed} of ${found.planned} requests failed (${causes}): the figures are those of the rest.`,
      evidence: { failed: found.failed, planned: found.planned, ...found.byProblem },
      advice: 'See whether the server lives and takes as many streams at once, then measure again.',
      zh: {
        message: `${found.planned} 个请求中有 ${found.failed} 个失败（${causes}）：各数值只来自其余请求。`,
        advice: '请确认服务器仍在运行并能承受该并发数，然后重新测量。',
      },
    });
  }
  if (error.p50 !== null && error.p50 < -aheadMs) {
    findings.push({
      code: 'stamps-ahead',
      severity: 'invalid',
      message: `The stamps of the server lie ${(-error.p50).toFixed(1)} ms ahead of the moment their events were read: they are not of a clock of this host.`,
      evidence: { p50Ms: error.p50 },
      advice: 'The server has to run on this host and to write the time just before it sends an event.',
      zh: {
        message: `服务器的时间戳比读到事件的时刻早了 ${(-error.p50).toFixed(1)} ms：它们不是本机时钟的时间。`,
        advice: '服务器须在本机运行，并在发送事件前写入当前时间。',
      },
    });
  }
  const limitMs = tokenGapMs === null ? null : Math.max(1, 0.1 * tokenGapMs);
  if (error.n === 0) {
    findings.push({
      code: 'not-stamped',
      severity: 'invalid',
      message: alien
        ? 'The events of this server carry "emit_ns", but it is not the time of their emission on CLOCK_MONOTONIC or CLOCK_REALTIME of this host, so the receive error cannot be known.'
        : 'Nothing in the events of this server is the time of their emission on a clock of this host, so the receive error cannot be known.',
      evidence: { reads: 0, field: alien ? 'emit_ns' : null },
      advice:
        'Leave --url out (the embedded engine stamps), or let the server write CLOCK_MONOTONIC or CLOCK_REALTIME of this host into every event just before it is sent: "emit_ns":"<ns>" or any other member in ns, µs, ms or seconds with a fraction, or as the text itself.',
      zh: {
        message: alien
          ? '该服务器的事件带有 "emit_ns"，但它不是本机 CLOCK_MONOTONIC 或 CLOCK_REALTIME 的发出时间，无法得知接收误差。'
          : '该服务器的事件中没有本机时钟的发出时间，无法得知接收误差。',
        advice:
          '不加 --url（内置引擎带时间戳），或让服务器在发送每个事件前写入本机的 CLOCK_MONOTONIC 或 CLOCK_REALTIME：字段 "emit_ns":"<纳秒>"，或任意名称、单位为 ns、µs、ms 或带小数的秒的字段，也可直接写在文本中。',
      },
    });
  }
  if (tokenGapMs !== null && error.p99 !== null && error.p99 > Math.max(1, tokenGapMs)) {
    const waited =
      cpuWaitRatio === null ? '' : ` It waited for a core ${(100 * cpuWaitRatio).toFixed(0)} % of the time.`;
    const waitedZh = cpuWaitRatio === null ? '' : `客户端有 ${(100 * cpuWaitRatio).toFixed(0)} % 的时间在等待 CPU 核。`;
    findings.push({
      code: 'late-tail',
      severity: 'warn',
      message: `One read in a hundred was stamped more than ${error.p99.toFixed(1)} ms late, longer than the gap between two tokens (${tokenGapMs.toFixed(1)} ms): the tails of gaps measured like this are partly the client's.${waited}`,
      evidence: { p99Ms: error.p99, tokenGapMs, cpuWaitRatio },
      advice: 'Keep other work off this host (or pin it to other cores) and measure again.',
      zh: {
        message: `百分之一的读取时间戳误差超过 ${error.p99.toFixed(1)} ms，大于两个 token 的间隔（${tokenGapMs.toFixed(1)} ms）：这样测得的间隔长尾部分来自客户端。${waitedZh}`,
        advice: '请停止本机其他负载（或绑定到其他核）后再测。',
      },
    });
  }
  const slipMs = found.scheduleSlipMs.p99;
  if (slipMs !== null && slipMs > lateSendMs) {
    const { scheduled, achieved } = found.ratePerSec;
    findings.push({
      code: 'late-sends',
      // Half of them late: the schedule was not kept at all.
      severity: found.scheduleSlipMs.p50! > lateSendMs ? 'invalid' : 'warn',
      message: `One send in a hundred left more than ${slipMs.toFixed(1)} ms after it was due: at a rate, latencies are better read from the due time (latencyFromDueMs).`,
      evidence: {
        p99Ms: slipMs,
        p50Ms: found.scheduleSlipMs.p50,
        scheduledPerSec: scheduled,
        achievedPerSec: achieved,
      },
      advice: 'Keep other work off this host (or pin it to other cores), or ask for a lower rate.',
      zh: {
        message: `百分之一的请求比计划晚 ${slipMs.toFixed(1)} ms 以上发出：按速率压测时，延迟应从应发时刻算起（latencyFromDueMs）。`,
        advice: '请停止本机其他负载（或绑定到其他核），或降低速率。',
      },
    });
  }
  if (coarse) {
    findings.push({
      code: 'coarse-stamps',
      severity: 'info',
      message: 'The server cuts its stamps to the millisecond: errors below 1 ms are its rounding.',
      evidence: { field: found.stamp?.field ?? null },
      advice: 'Let it write ns or µs.',
      zh: { message: '服务器的时间戳只精确到毫秒：小于 1 ms 的误差来自取整。', advice: '请让服务器写入 ns 或 µs。' },
    });
  }
  if ((limitMs !== null && error.p50 !== null && error.p50 > limitMs) || (cpuRatio !== null && cpuRatio > 0.9)) {
    findings.push({
      code: 'client-bound',
      severity: 'invalid',
      message: `At ${found.concurrency} streams this client is at its limit: median stamp error ${error.p50?.toFixed(2)} ms, CPU ${((cpuRatio ?? 0) * 100).toFixed(0)} % of a core.`,
      evidence: { p50Ms: error.p50, limitMs, cpuRatio, concurrency: found.concurrency },
      advice: starved
        ? 'Keep other work off this host (or pin it to other cores): the client had no core when it needed one.'
        : 'Use fewer streams on this host, or spread them over more machines.',
      zh: {
        message: `${found.concurrency} 路流时客户端已到极限：时间戳误差中位数 ${error.p50?.toFixed(2)} ms，CPU 占单核 ${((cpuRatio ?? 0) * 100).toFixed(0)} %。`,
        advice: starved
          ? '请停止本机其他负载（或绑定到其他核）：客户端需要时没有可用的 CPU 核。'
          : '减少本机的并发流，或分散到多台机器。',
      },
    });
  }
  return findings;
}
