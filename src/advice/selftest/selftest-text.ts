import { printable, say } from '../../core/index.ts';
import type { Lang, Phrase } from '../../core/index.ts';
import { folded, tableText } from '../../results/report/index.ts';
import type { Figure } from '../../results/report/index.ts';
import type { ErrorFigures } from './part-tally.ts';
import type { SelftestReport } from './run-selftest.ts';

const names = {
  errors: { en: 'receive stamp', zh: '接收时间戳' },
  slips: { en: 'send schedule', zh: '发送计划' },
} as const;
const barWidth = 40;
const clockNames = { monotonic: 'CLOCK_MONOTONIC', realtime: 'CLOCK_REALTIME' } as const;
const unitNames = { ns: 'ns', us: 'µs', ms: 'ms', s: 's' } as const;

/** A selftest for a terminal of so many columns: the errors, how they spread, and how far this host can be trusted. */
export function selftestText(report: SelftestReport, lang: Lang, columns = Infinity): string {
  const word = (en: string, zh: string): string => say({ en, zh }, lang);
  const count = (value: number | null): string => (value === null ? '–' : Math.round(value).toLocaleString('en-US'));
  const percent = report.cpuRatio === null ? '–' : `${(report.cpuRatio * 100).toFixed(0)} %`;
  const rate = (value: number | null): string => value?.toFixed(value < 100 ? 2 : 1) ?? '–';
  const { asked, scheduled, achieved } = report.ratePerSec;
  const memory = count(report.rssBytes === null ? null : report.rssBytes / 1e6);
  const drawn = [
    errorTable(report, lang, columns),
    bars(names.errors, report.timestampErrorMs, lang),
    bars(names.slips, report.scheduleSlipMs, lang),
  ];
  const told = [
    ...(report.stamp === null ? [] : [stampLine(report.stamp, lang)]),
    word(
      `${count(report.eventsPerSec)} events/s at ${percent} of a core; a whole core: ${count(report.eventsPerSecPerCore)} events/s, ${count(report.requestsPerSecPerCore)} short requests/s`,
      `${count(report.eventsPerSec)} 事件/秒，占单核 ${percent}；单核满载约 ${count(report.eventsPerSecPerCore)} 事件/秒、${count(report.requestsPerSecPerCore)} 短请求/秒`,
    ),
    word(
      `rate: asked ${rate(asked)}/s, drawn by chance ${rate(scheduled)}/s, achieved ${rate(achieved)}/s; requests: planned ${report.planned}, ok ${report.ok}, failed ${report.failed}, unaccounted ${report.unaccounted}; memory ${memory} MB`,
      `速率：要求 ${rate(asked)}/s，随机计划 ${rate(scheduled)}/s，实际 ${rate(achieved)}/s；请求：计划 ${report.planned}，成功 ${report.ok}，失败 ${report.failed}，去向不明 ${report.unaccounted}；内存 ${memory} MB`,
    ),
    trustLine(report, lang),
    ...report.verdict.findings.flatMap((finding) => {
      const { message, advice } = lang === 'zh' ? finding.zh : finding;
      return [`${finding.severity}: ${message}`, `    ${advice}`];
    }),
  ];
  const lines = [...drawn.filter((block) => block !== ''), ...told.flatMap((line) => folded(line, columns))];
  return `${lines.join('\n')}\n`;
}

function errorTable(report: SelftestReport, lang: Lang, columns: number): string {
  const row = (name: Phrase, { p50, p99, binP99, max, n }: ErrorFigures): string[] => [
    say(name, lang),
    ...[p50, p99, binP99, max].map((value) => (value === null ? '–' : value.toFixed(3))),
    String(n),
  ];
  const typical = say({ en: 'typical p99', zh: '典型 p99' }, lang);
  return tableText(
    [say({ en: 'error (ms)', zh: '误差 (ms)' }, lang), 'p50', 'p99', typical, 'max', 'n'],
    [row(names.errors, report.timestampErrorMs), row(names.slips, report.scheduleSlipMs)],
    columns,
  );
}

/** How errors spread: a bar for each range, as long as its share. */
function bars(name: Phrase, { shares }: ErrorFigures, lang: Lang): string {
  if (shares.length === 0) return '';
  const longest = Math.max(...shares.map(({ ratio }) => ratio));
  const limits = shares.map(({ upToMs }, i) =>
    upToMs === null ? `> ${shares[i - 1]?.upToMs ?? 500} ms` : `≤ ${upToMs} ms`,
  );
  const width = Math.max(...limits.map(({ length }) => length));
  const rows = shares.map(({ ratio }, i) => {
    const bar = '█'.repeat(Math.round((barWidth * ratio) / longest)) || (ratio > 0 ? '▏' : '');
    return `  ${limits[i]!.padStart(width)}  ${bar}${bar === '' ? '' : ' '}${(100 * ratio).toFixed(ratio < 0.01 ? 2 : 1)} %`;
  });
  return [`${say(name, lang)}:`, ...rows].join('\n');
}

function stampLine({ field, unit, clock }: NonNullable<SelftestReport['stamp']>, lang: Lang): string {
  const where =
    field === null
      ? { en: 'the text of each event', zh: '事件文本' }
      : { en: `"${printable(field)}"`, zh: `"${printable(field)}"` };
  return say(
    {
      en: `stamps of the server: ${where.en}, ${unitNames[unit]} of ${clockNames[clock]}`,
      zh: `服务器时间戳：${where.zh}，单位 ${unitNames[unit]}，${clockNames[clock]}`,
    },
    lang,
  );
}

/** Below this share of a core the idle rounds of the client weigh more than its work, and a whole core holds more than it seems. */
const tellingRatio = 0.3;

function trustLine({ streamsPerCore, tokenGapMs, cpuRatio }: SelftestReport, lang: Lang): string {
  if (streamsPerCore === null || tokenGapMs === null || !(tokenGapMs > 0)) {
    return say(
      {
        en: 'How many streams this host can hold is not known: too little came back.',
        zh: '返回的数据太少，无法得知本机能承载多少路流。',
      },
      lang,
    );
  }
  const streams = streamsPerCore.toLocaleString('en-US');
  const speed = (1000 / tokenGapMs).toFixed(tokenGapMs > 100 ? 1 : 0);
  const idle = cpuRatio !== null && cpuRatio < tellingRatio;
  return say(
    {
      en: `This host can be trusted up to ${idle ? 'at least ' : ''}about ${streams} streams at ${speed} tokens/s per core.${idle ? ' It had little to do: a higher --concurrency tells it more closely.' : ''}`,
      zh: `本机单核可信承载${idle ? '至少' : ''}约 ${streams} 路、每路 ${speed} token/秒的流。${idle ? '本次负载较轻，提高 --concurrency 可得到更准确的数值。' : ''}`,
    },
    lang,
  );
}

/** The same spread as a picture: the share of reads and sends at or below an error. */
export function selftestFigure(report: SelftestReport): Figure {
  const series = (name: Phrase, { shares }: ErrorFigures) => {
    let below = 0;
    const points = shares.flatMap(({ upToMs, ratio }) => {
      below += ratio;
      return upToMs === null ? [] : [{ x: upToMs, y: 100 * below }];
    });
    return { name, kind: 'line' as const, points };
  };
  const { p50, p99 } = report.timestampErrorMs;
  const ms = (value: number | null): string => (value === null ? '–' : `${value.toFixed(3)} ms`);
  const share = { en: 'share (%)', zh: '占比 (%)' };
  return {
    id: 'selftest',
    title: {
      en: `Errors of this client at ${report.concurrency} streams`,
      zh: `${report.concurrency} 路流时客户端的误差`,
    },
    about: {
      en: `Half of the reads were stamped at most ${ms(p50)} late, 99 % at most ${ms(p99)}.`,
      zh: `一半的读取时间戳误差不超过 ${ms(p50)}，99% 不超过 ${ms(p99)}。`,
    },
    columns: 1,
    panels: [
      {
        kind: 'lines',
        title: { en: 'share at or below an error', zh: '误差不超过某值的占比' },
        x: { name: { en: 'error (ms)', zh: '误差 (ms)' }, scale: 'log' },
        y: { name: share, from: 0, to: 100 },
        series: [series(names.errors, report.timestampErrorMs), series(names.slips, report.scheduleSlipMs)],
      },
    ],
    notes: [{ en: trustLine(report, 'en'), zh: trustLine(report, 'zh') }],
  };
}
