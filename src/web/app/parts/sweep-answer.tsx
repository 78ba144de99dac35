import type { Sweep } from '../../../core/index.ts';
import { parseSlo } from '../../../results/measure/index.ts';
import { sweepInWords, withPromises } from '../../../results/report/index.ts';
import { rewriteQuery } from '../state/place.ts';
import { t } from '../state/settings.ts';

const fields = [
  { name: 'ttft', metric: 'ttft.p99', title: 'TTFT p99 <' },
  { name: 'tpot', metric: 'tpot.p99', title: 'TPOT p99 <' },
] as const;

/** A sweep under the limits of this page: those that were promised, or others that somebody typed. */
export interface PromisedSweep {
  sweep: Sweep;
  /** In ms, as typed; empty = none. */
  values: Readonly<Record<'ttft' | 'tpot', string>>;
  changed: boolean;
}

/** The sweep with the limits that the address names in place of those that were promised. */
export function promisedIn(sweep: Sweep, query: URLSearchParams): PromisedSweep {
  const promises = (sweep.points[0]?.slo ?? []).map(({ promise }) => promise);
  const changed = fields.some(({ name }) => query.has(name));
  const own = (metric: string): string => {
    const slo = promises.map(parseSlo).find((one) => `${one.metric}.${one.statistic}` === metric && one.op === '<');
    return slo === undefined ? '' : String(slo.limit);
  };
  const values = Object.fromEntries(
    fields.map(({ name, metric }) => [name, query.get(name)?.replace('none', '') ?? own(metric)]),
  ) as PromisedSweep['values'];
  if (!changed) return { sweep, values, changed };
  const others = promises.filter((promise) => !fields.some(({ metric }) => promise.trim().startsWith(metric)));
  const typed = fields.flatMap(({ name, metric }) =>
    /^\d{1,7}(\.\d{1,3})?$/.test(values[name]) ? [`${metric}<${values[name]}ms`] : [],
  );
  return { sweep: withPromises(sweep, [...others, ...typed]), values, changed };
}

/** The load to run at, in a sentence, and fields for other limits: the answer moves as one types. */
export function SweepAnswer({ sweep, limits: { values } }: { sweep: Sweep; limits: PromisedSweep }) {
  const streamed = sweep.points.some(({ ttftMs }) => ttftMs?.p99 != null);
  return (
    <>
      <p class="lead" id="sweep-answer" aria-live="polite">
        {sweepInWords(sweep)
          .says.map((sentence) => t(sentence))
          .join(' ')}
      </p>
      {streamed && (
        <form class="limits" onSubmit={(event) => event.preventDefault()}>
          <span>{t('Within', '限制')}</span>
          {fields.map(({ name, title }) => (
            <label key={name}>
              {title}{' '}
              <input
                name={`limit-${name}`}
                inputMode="decimal"
                size={6}
                value={values[name]}
                placeholder="–"
                onInput={(event) => rewriteQuery({ [name]: event.currentTarget.value.trim() || 'none' })}
              />{' '}
              ms
            </label>
          ))}
        </form>
      )}
    </>
  );
}
