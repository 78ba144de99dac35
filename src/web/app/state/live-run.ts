import { paceKeeper } from '../../../core/index.ts';
import type { Pace } from '../../../core/index.ts';
import type { LiveEvents, LiveSample, LiveState } from '../../api/live-events.ts';
import { columnNames } from '../../api/request-columns.ts';
import type { ColumnBlock } from '../../api/request-columns.ts';
import { useEffect, useRef, useState } from '../preact.ts';
import { api } from './ask.ts';
import { RequestData } from './request-data.ts';

/** What is known of a run or sweep under way. */
export interface LiveRun {
  points: LiveEvents['point'][];
  /** Requests of the last point. */
  data: RequestData;
  state: LiveState | null;
  /** What its client said of itself while this page watched. */
  told: LiveState[];
  /** How it moves now; null = its client has said nothing yet. */
  pace: Pace | null;
  /** When its client last said something new, on this page's clock. */
  heardOfMs: number;
  samples: LiveSample[];
  ended: LiveEvents['end'] | null;
  /** The connection is lost and being made again; nothing is lost with it. */
  broken: boolean;
}

const drawEveryMs = 250;
/** More than an hour of a word each second. */
const mostTold = 5000;

/** Follows a run by its events; drawn a few times a second, however many events there are. */
export function useLiveRun(id: string): LiveRun {
  const [, again] = useState(0);
  const run = useRef<LiveRun>(fresh());
  useEffect(() => {
    run.current = fresh();
    let pace = paceKeeper();
    const source = new EventSource(api(`/runs/${encodeURIComponent(id)}/live`));
    let drawn: ReturnType<typeof setTimeout> | null = null;
    const draw = (): void => {
      drawn ??= setTimeout(() => {
        drawn = null;
        again((n) => n + 1);
      }, drawEveryMs);
    };
    const on = <Name extends keyof LiveEvents>(name: Name, take: (event: LiveEvents[Name]) => void): void =>
      source.addEventListener(name, (event) => {
        run.current.broken = false;
        take(JSON.parse(event.data as string) as LiveEvents[Name]);
        draw();
      });
    on('point', (point) => {
      // Told again after a lost connection.
      if (run.current.points.at(-1)?.run === point.run) return;
      run.current.points.push(point);
      run.current.data = new RequestData();
      run.current.samples = [];
      run.current.state = null;
      run.current.told = [];
      run.current.pace = null;
      pace = paceKeeper();
    });
    on('rows', ({ rows }) => run.current.data.add(blockOf(rows)));
    on('state', ({ state }) => {
      const { told } = run.current;
      if (told.at(-1)?.nowMs !== state.nowMs) {
        told.push(state);
        run.current.heardOfMs = performance.now();
      }
      told.splice(0, told.length - mostTold);
      run.current.state = state;
      run.current.pace = pace.saw(state);
    });
    on('samples', ({ samples }) => run.current.samples.push(...samples));
    on('end', (end) => {
      run.current.ended = end;
      source.close();
    });
    source.addEventListener('error', () => {
      run.current.broken = true;
      draw();
    });
    return () => {
      source.close();
      if (drawn !== null) clearTimeout(drawn);
    };
  }, [id]);
  return run.current;
}

function fresh(): LiveRun {
  return {
    points: [],
    data: new RequestData(),
    state: null,
    told: [],
    pace: null,
    heardOfMs: performance.now(),
    samples: [],
    ended: null,
    broken: false,
  };
}

function blockOf(rows: LiveEvents['rows']['rows']): ColumnBlock {
  const block = Object.fromEntries(
    columnNames.map((name) => [name, new Float64Array(rows.length).fill(NaN)]),
  ) as ColumnBlock;
  const place = { seq: 0, dueMs: 1, sentMs: 2, firstOutputMs: 3, endMs: 4, outputTokens: 5, outcome: 6, problem: 7 };
  for (const [name, at] of Object.entries(place))
    for (const [i, row] of rows.entries()) block[name as keyof typeof place][i] = row[at] ?? NaN;
  return block;
}
