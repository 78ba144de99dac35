import { schedulerNames, schedulers } from '../../../engine/sim/index.ts';
import type { EngineProfile, SettingRule, SettingValue } from '../../../engine/sim/index.ts';
import { rewriteQuery } from '../state/place.ts';
import { t } from '../state/settings.ts';
import { Slider } from './slider.tsx';

/** Ends of sliders where a server would take almost anything. */
const reach: Readonly<Record<string, number>> = {
  maxBatchSize: 1024,
  max_num_seqs: 1024,
  max_running_requests: 1024,
  maxPrefillBatchSize: 512,
  maxPrefillTokens: 131_072,
  max_num_batched_tokens: 131_072,
  max_prefill_tokens: 131_072,
  chunked_prefill_size: 131_072,
  max_num_partial_prefills: 1024,
};
const usualReach = 10_000;

/** The scheduler and every setting it has, under the names its server gives them. */
export function SchedulerSettings({
  profile,
  given,
}: {
  profile: EngineProfile;
  given: Readonly<Record<string, SettingValue>>;
}) {
  const name = profile.scheduler?.name ?? 'continuous';
  const { settings, batchSetting } = schedulers[name];
  const rules: Readonly<Record<string, SettingRule>> = settings;
  const names = [batchSetting, ...Object.keys(rules).filter((key) => key !== batchSetting)];
  return (
    <>
      <label class="field">
        <span>{t('Scheduler', '调度器')}</span>
        <select
          name="scheduler"
          value={name}
          onChange={(event) => rewriteQuery({ scheduler: event.currentTarget.value })}
        >
          {schedulerNames.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      {names.map((key) => (
        <Setting
          key={key}
          name={key}
          rule={rules[key]!}
          value={given[key] ?? profile.scheduler?.settings[key] ?? rules[key]!.default(profile)}
        />
      ))}
    </>
  );
}

function Setting({ name, rule, value }: { name: string; rule: SettingRule; value: SettingValue }) {
  const set = (next: SettingValue): void => rewriteQuery({ [`set.${name}`]: String(next) });
  if (rule.oneOf !== undefined)
    return (
      <label class="field">
        <span>
          <code>{name}</code>
        </span>
        <select value={String(value)} onChange={(event) => set(event.currentTarget.value)}>
          {rule.oneOf.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    );
  if (typeof value === 'boolean')
    return (
      <label class="choice">
        <input type="checkbox" name={name} checked={value} onChange={(event) => set(event.currentTarget.checked)} />{' '}
        <code>{name}</code>
      </label>
    );
  const least = rule.least ?? 0;
  const most = Math.max(Number(value), Math.min(rule.most ?? usualReach, reach[name] ?? usualReach));
  return (
    <Slider
      name={name}
      title={name}
      value={Number(value)}
      least={least}
      most={most}
      step={rule.whole === true ? 1 : 0.01}
      set={set}
    />
  );
}
