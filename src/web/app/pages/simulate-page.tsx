import { CodeBlock } from '../parts/code-block.tsx';
import type { Summary } from '../../../core/index.ts';
import type { EngineProfile } from '../../../engine/sim/index.ts';
import type { EntryPage, RunList } from '../../api/shapes.ts';
import { simulationFigure } from '../charts/simulation-figure.ts';
import { FigureBox } from '../parts/figure-box.tsx';
import { SchedulerSettings } from '../parts/scheduler-settings.tsx';
import { Slider } from '../parts/slider.tsx';
import { TroubleBox } from '../parts/states.tsx';
import { percent, time } from '../format.ts';
import { useMemo } from '../preact.ts';
import { useSimulation } from '../sim/use-simulation.ts';
import { chosenProfile, engineNames, lengthsOf, loadsOf, settingsIn, simCommand } from '../sim/chosen-profile.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { linkTo, rewriteQuery } from '../state/place.ts';
import type { Place } from '../state/place.ts';
import { t } from '../state/settings.ts';

/** A server in virtual time, beside a measured one: the simulator runs in the browser as sliders move. */
export function SimulatePage({ place }: { place: Place }) {
  const { query } = place;
  const key = query.toString();
  const list = useLoaded('runs', (signal) => ask<RunList>('/runs', { signal }));
  const measuredId = query.get('measured') ?? '';
  const measured = useLoaded(measuredId === '' ? null : measuredId, (signal) =>
    ask<EntryPage>(`/runs/${encodeURIComponent(measuredId)}`, { signal }),
  );
  const points = useMemo(() => pointsOf(measured.data), [measured.data]);
  const engine = query.get('engine') ?? engineNames[0]!;
  const simulation = useSimulation(points, engine === 'fit');
  const base = useMemo(() => chosenProfile(query, simulation.fitted?.profile ?? null), [key, simulation.fitted]);
  const loads = loadsOf(query, points);
  const [input, output] = lengthsOf(query, points);
  const profile = 'profile' in base ? base.profile : null;
  simulation.ask(profile === null ? null : { profile, loads, inputTokens: input, outputTokens: output });
  const figure = useMemo(
    () => simulationFigure(simulation.points, points, simulation.fitted),
    [simulation.points, points, simulation.fitted],
  );
  const sweeps = (list.data?.rows ?? []).filter(({ kind, live, points: n }) => kind === 'sweep' && !live && n > 1);
  return (
    <>
      <div class="page-head">
        <h1>{t('Simulate', '模拟')}</h1>
        <span class="badge sim">{t('simulated', '模拟')}</span>
        <p class="faint" id="sim-state" aria-live="polite">
          {simulation.busy ? t('simulating…', '模拟中…') : stateLine(simulation.tookMs, loads.length)}
        </p>
      </div>
      <div class="split">
        <form class="side" onSubmit={(event) => event.preventDefault()}>
          <label class="field">
            <span>{t('Engine', '引擎')}</span>
            <select name="engine" value={engine} onChange={(event) => changeEngine(event.currentTarget.value, query)}>
              {engineNames.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
              <option value="plan">{t('from the plan (data sheets)', '来自规划（数据表）')}</option>
              <option value="fit" disabled={points.length < 3}>
                {t('fitted to the measured sweep', '由实测扫描拟合')}
              </option>
            </select>
          </label>
          <label class="field">
            <span>{t('Beside a measured sweep', '对照实测扫描')}</span>
            <select
              name="measured"
              value={measuredId}
              onChange={(event) => rewriteQuery({ measured: event.currentTarget.value })}
            >
              <option value="">{t('none', '无')}</option>
              {sweeps.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label ?? id}
                </option>
              ))}
            </select>
          </label>
          {engine === 'plan' && (
            <Slider
              name="cards"
              title={t('Cards', '卡数')}
              value={Number(query.get('cards') ?? 2)}
              least={1}
              most={64}
              set={(value) => rewriteQuery({ cards: String(value) })}
            />
          )}
          <label class="field">
            <span>{t('Concurrencies', '并发')}</span>
            <input
              name="loads"
              value={query.get('loads') ?? ''}
              placeholder={loads.join(',')}
              onInput={(event) => rewriteQuery({ loads: event.currentTarget.value })}
            />
          </label>
          <Slider
            name="input"
            title={t('Input tokens (context)', '输入 token（上下文）')}
            value={input}
            least={1}
            most={32_768}
            set={(value) => rewriteQuery({ input: String(value) })}
          />
          <Slider
            name="output"
            title={t('Output tokens', '输出 token')}
            value={output}
            least={1}
            most={8192}
            set={(value) => rewriteQuery({ output: String(value) })}
          />
          {profile !== null && <SchedulerSettings profile={profile} given={settingsIn(query)} />}
        </form>
        <div class="answer">
          {'trouble' in base && <TroubleBox trouble={base.trouble} />}
          {simulation.trouble !== null && <TroubleBox trouble={simulation.trouble} />}
          {simulation.fitted !== null && engine === 'fit' && (
            <div class="note sim">
              {t(
                `Fitted to ${simulation.fitted.used.join(', ')}; error on the other points ${percent(simulation.fitted.heldOutError)}. Shaded: 90 % interval.`,
                `拟合于 ${simulation.fitted.used.join('、')}；其余点误差 ${percent(simulation.fitted.heldOutError)}。阴影：90% 区间。`,
              )}
            </div>
          )}
          <div class="figure-place">{figure !== null && <FigureBox figure={figure} query={query} />}</div>
          {profile !== null && <About profile={profile} />}
          {profile !== null && engine !== 'fit' && engine !== 'plan' && (
            <>
              <h2>{t('The same in a terminal', '等价命令')}</h2>
              <CodeBlock id="command-line" text={simCommand(engine, query, loads, [input, output])} />
            </>
          )}
          {engine === 'plan' && (
            <p>
              <a href={linkTo('plan', '', query)}>{t('The plan behind this engine', '查看对应的规划')}</a>
            </p>
          )}
        </div>
      </div>
    </>
  );
}

function changeEngine(engine: string, query: URLSearchParams): void {
  const cleared = Object.fromEntries(
    [...query.keys()].filter((name) => name.startsWith('set.')).map((name) => [name, null]),
  );
  rewriteQuery({ ...cleared, scheduler: null, engine });
}

function stateLine(tookMs: number | null, loads: number): string {
  return tookMs === null ? '\u00a0' : t(`${loads} loads in ${time(tookMs)}`, `${loads} 个负载，用时 ${time(tookMs)}`);
}

function pointsOf(page: EntryPage | null): readonly Summary[] {
  const what = page?.what;
  return what?.schema === 'llmdyno.sweep/1' ? what.points : [];
}

function About({ profile }: { profile: EngineProfile }) {
  return (
    <details>
      <summary>{profile.title}</summary>
      <p class="faint">
        {profile.source} ({profile.date})
      </p>
      <ul>
        {profile.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
