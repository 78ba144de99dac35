// The tables of peers.mjs: one per load, a row per client, medians over its runs, the reason where there is none.
const median = (values) => {
  const known = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b);
  return known.length === 0 ? null : known[Math.floor(known.length / 2)];
};
const show = (value, digits) =>
  value === null ? '–' : value >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(digits);
const worst = (runs, key) => Math[key === 'ok' ? 'min' : 'max'](...runs.map((run) => run[key]));
const head = [
  'client',
  'stamp error p50 / p99 ms',
  'reported ITL mean / p50 / p99 ms',
  'ITL of the server mean / p50 / p99 ms',
  'reported TTFT p50 / p99 ms',
  'streams held',
  'ok / failed / lost',
  'reported requests/s',
  'CPU s',
  'memory MB',
  'runs',
];

function cells({ name, runs, failures, problem }) {
  if (runs.length === 0) return [name, problem ?? 'no time was left', ...Array(head.length - 2).fill('–')];
  const of = (pick, digits) => show(median(runs.map((run) => pick(run) ?? null)), digits);
  const three = (key) => ['mean', 'p50', 'p99'].map((figure) => of((run) => run[key]?.[figure], 2)).join(' / ');
  return [
    name,
    `${of((run) => run.error?.p50, 3)} / ${of((run) => run.error?.p99, 2)}`,
    three('itl'),
    three('truth'),
    `${of((run) => run.ttft?.p50, 1)} / ${of((run) => run.ttft?.p99, 1)}`,
    of((run) => run.held, 0),
    ['ok', 'failed', 'lost'].map((key) => show(worst(runs, key), 0)).join(' / '),
    of((run) => run.requestsPerSec, 1),
    of((run) => run.cpuSec, 1),
    of((run) => run.rssMB, 0),
    failures === 0 ? `${runs.length}` : `${runs.length}, ${failures} failed: ${problem}`,
  ];
}

/** Markdown: a heading and a table per load. */
export function peerTables(rows) {
  const line = (list) => `| ${list.map((cell) => cell.replaceAll('|', '/').replaceAll(/\s+/g, ' ')).join(' | ')} |`;
  return [...new Set(rows.map(({ load }) => load))]
    .map((load) => {
      const title = `## ${load.streams.toLocaleString('en-US')} streams × ${load.gapMs} ms gaps: ${load.requests.toLocaleString('en-US')} requests of ${load.events} events`;
      const body = rows.filter((row) => row.load === load).map((row) => line(cells(row)));
      return [title, '', line(head), line(head.map(() => '---')), ...body].join('\n');
    })
    .join('\n\n')
    .concat('\n');
}
