import type { RunList } from '../../api/shapes.ts';
import type { TunePageData } from '../../api/tune-shape.ts';
import { tuneFigure } from '../charts/tune-figure.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { FigureBox } from '../parts/figure-box.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, TroubleBox, Waiting } from '../parts/states.tsx';
import { TrialTable } from '../parts/trial-table.tsx';
import { axisTitle, tuneInWords } from '../../../results/report/index.ts';
import { when } from '../format.ts';
import { useMemo } from '../preact.ts';
import { ask, tell, useLoaded } from '../state/ask.ts';
import { linkTo, rewriteQuery } from '../state/place.ts';
import type { Place } from '../state/place.ts';
import { lang, t } from '../state/settings.ts';

/** Searches over server settings: what was tried, what is best so far, and a way to hold one. */
export function TunePage({ place }: { place: Place }) {
  return place.rest === '' ? <TuneList /> : <Watched key={place.rest} id={place.rest} query={place.query} />;
}

function TuneList() {
  const { data, trouble, again } = useLoaded('runs', (signal) => ask<RunList>('/runs', { signal }), 2500);
  const tunes = data?.rows.filter(({ kind }) => kind === 'tune') ?? [];
  return (
    <>
      <div class="page-head">
        <h1>{t('Tune', '调优')}</h1>
      </div>
      {trouble !== null && <TroubleBox trouble={trouble} again={again} />}
      {data === null && trouble === null && <Waiting height={300} />}
      {data !== null && tunes.length === 0 && (
        <Empty title={t('No search yet', '还没有调优')}>
          <p>
            {t(
              'Start one in a terminal with the same store; it appears here while it runs:',
              '在终端中使用同一存储启动，运行时会出现在这里：',
            )}
          </p>
          <CodeBlock text={'dyno tune --init vllm > tune.yaml\ndyno tune tune.yaml'} />
          <p>{t('Without a server:', '没有服务器时：')}</p>
          <CodeBlock
            text={'dyno tune --init mindie > tune.yaml\ndyno tune tune.yaml --simulate qwen1.5-7b-mindie-8x910b4'}
          />
        </Empty>
      )}
      <ul class="live-list">
        {tunes.map((row) => (
          <li key={row.id}>
            <a href={linkTo('tune', row.id)}>{row.label ?? row.id}</a>{' '}
            {row.live && <span class="badge live">{t('live', '进行中')}</span>}{' '}
            {row.simulated && <span class="badge sim">{t('simulated', '模拟')}</span>}{' '}
            <span class="faint">
              {t(`${row.points} trials`, `${row.points} 次试验`)} · {when(row.startedAt)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Watched({ id, query }: { id: string; query: URLSearchParams }) {
  const { data, trouble, again } = useLoaded(
    id,
    (signal) => ask<TunePageData>(`/tunes/${encodeURIComponent(id)}`, { signal }),
    1500,
  );
  const axes = data === null ? null : axesOf(data.tune, query);
  const figure = useMemo(
    () => (data === null || axes === null ? null : tuneFigure(data.tune, axes)),
    [data?.tune.trials.length, data?.tune.running, axes?.x, axes?.y],
  );
  if (data === null)
    return trouble === null ? <Waiting height={520} /> : <TroubleBox trouble={trouble} again={again} />;
  const { tune, paused } = data;
  const hold = (wait: boolean): void =>
    void tell(`/tunes/${encodeURIComponent(id)}/pause`, { wait }).then(again, again);
  return (
    <>
      <nav class="crumbs" aria-label={t('Path', '路径')}>
        <a href={linkTo('tune')}>{t('Tune', '调优')}</a>
      </nav>
      <div class="page-head">
        <h1>{tune.name ?? id}</h1>
        {tune.running ? (
          <span class={paused ? 'badge warn' : 'badge live'} id="tune-state">
            {paused ? t('waiting before the next trial', '在下一次试验前暂停') : t('live', '进行中')}
          </span>
        ) : (
          <span class="badge good" id="tune-state">
            {t('finished', '已结束')}
          </span>
        )}
        {tune.simulated && <span class="badge sim">{t('simulated', '模拟')}</span>}
        <p class="faint">
          {t(
            `${tune.trials.length} of at most ${tune.budget.runs} runs`,
            `最多 ${tune.budget.runs} 次，已运行 ${tune.trials.length} 次`,
          )}
          {tune.slos.length > 0 && ` · ${tune.slos.join(', ')}`}
        </p>
        {tune.running && (
          <div class="actions">
            <button type="button" id="pause-tune" onClick={() => hold(!paused)}>
              <Icon name={paused ? 'play' : 'pause'} /> {paused ? t('Resume', '继续') : t('Pause', '暂停')}
            </button>
          </div>
        )}
      </div>
      <Best tune={tune} />
      {axes !== null && (
        <div class="filters">
          <AxisChoice name="x" axes={axes} />
          <AxisChoice name="y" axes={axes} />
        </div>
      )}
      {figure !== null && <FigureBox figure={figure} query={query} />}
      <Settings tune={tune} />
      <TrialTable tune={tune} id={id} />
    </>
  );
}

function Best({ tune }: { tune: TunePageData['tune'] }) {
  const { tone, says, change } = tuneInWords(tune);
  return (
    <section class={`verdict ${tone}`} aria-label={t('Best so far', '当前最优')}>
      <p class="verdict-line" id="tune-answer">
        <strong>{t(says)}</strong>
      </p>
      {change !== null && <p>{t(change)}</p>}
    </section>
  );
}

/** The best settings as they are typed, and the search told in full. */
function Settings({ tune }: { tune: TunePageData['tune'] }) {
  const { apply } = tuneInWords(tune);
  return (
    <section aria-label={t('Settings', '配置')}>
      {apply.length > 0 && <CodeBlock id="tune-apply" text={apply.join('\n')} />}
      <details>
        <summary>{t('The search in full', '调优全过程')}</summary>
        <p>{tune.words[lang()]}</p>
      </details>
    </section>
  );
}

interface Axes {
  x: string;
  y: string;
  known: string[];
}

/** What can be set against what: every figure that some trial has; by default the first SLO's against the objective. */
function axesOf(tune: TunePageData['tune'], query: URLSearchParams): Axes | null {
  const known = [
    ...new Set(
      tune.trials.flatMap(({ figures }) =>
        Object.entries(figures).flatMap(([name, value]) => (value === null ? [] : [name])),
      ),
    ),
  ].toSorted();
  if (known.length < 2) return null;
  const pick = (asked: string | null, ...wanted: (string | undefined)[]): string =>
    [asked, ...wanted].find((name): name is string => name != null && known.includes(name)) ?? known[0]!;
  const y = pick(query.get('y'), tune.objective.metric, 'outputTokensPerSec');
  const promised = tune.slos.map((slo) => slo.split(/[<>=]/)[0]?.trim());
  const x = pick(
    query.get('x'),
    ...promised,
    'latency.mean',
    'ttft.p99',
    known.find((name) => name !== y),
  );
  return { x, y, known };
}

function AxisChoice({ name, axes }: { name: 'x' | 'y'; axes: Axes }) {
  return (
    <label>
      {name}{' '}
      <select value={axes[name]} onChange={(event) => rewriteQuery({ [name]: event.currentTarget.value })}>
        {axes.known.map((one) => (
          <option key={one} value={one}>
            {t(axisTitle(one))}
          </option>
        ))}
      </select>
    </label>
  );
}
