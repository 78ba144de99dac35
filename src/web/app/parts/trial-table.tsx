import type { TunePageData } from '../../api/tune-shape.ts';
import { num, time } from '../format.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { CardTable, TableHead } from './card-table.tsx';

type Tune = TunePageData['tune'];

const phases: Record<string, { en: string; zh: string }> = {
  calibrate: both('calibrate', '标定'),
  memory: both('memory', '显存'),
  search: both('search', '搜索'),
  'feasible-first': both('feasible first', '先求可行'),
  confirm: both('confirm', '确认'),
  variant: both('variant', '对照组'),
};

/** Every trial, the newest first: what was set, what was expected, what came out. */
export function TrialTable({ tune, id }: { tune: Tune; id: string }) {
  const names = [...new Set(tune.trials.flatMap(({ settings }) => Object.keys(settings)))];
  const { metric } = tune.objective;
  const caption = t('Trials', '试验');
  return (
    <CardTable caption={caption} id="trials">
      <TableHead
        names={[
          { left: '#' },
          { left: t('Phase', '阶段') },
          ...names,
          t('Load', '负载'),
          metric,
          t('predicted', '预测'),
          t('Took', '用时'),
          { left: t('Outcome', '结局') },
        ]}
      />
      <tbody>
        {tune.trials.toReversed().map((trial) => {
          const said = trial.predicted?.figures[metric];
          return (
            <tr key={trial.number}>
              <th scope="row">
                {trial.runId === null ? (
                  trial.number
                ) : (
                  <a href={linkTo('run', `${id}/${trial.runId}`)}>{trial.number}</a>
                )}
              </th>
              <td class="left">{t(phases[trial.phase] ?? trial.phase)}</td>
              {names.map((name) => (
                <td key={name}>{trial.settings[name] === undefined ? '–' : String(trial.settings[name])}</td>
              ))}
              <td>{num(trial.load.concurrency ?? trial.load.ratePerSec)}</td>
              <td>{num(trial.objective)}</td>
              <td class="faint">
                {said === undefined ? '–' : `${num(said.middle)} [${num(said.low)}, ${num(said.high)}]`}
              </td>
              <td>{time(trial.durationMs)}</td>
              <td class="left">
                {trial.outcome === 'ok' ? (
                  trial.feasible === true ? (
                    <span class="badge good">{t('kept the SLOs', '满足 SLO')}</span>
                  ) : trial.feasible === false ? (
                    <span class="badge warn">{t('broke an SLO', '违反 SLO')}</span>
                  ) : (
                    'ok'
                  )
                ) : (
                  <span class="bad-text">
                    {trial.outcome} {trial.cause}
                  </span>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </CardTable>
  );
}
