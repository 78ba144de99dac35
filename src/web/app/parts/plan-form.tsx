import type { PlanAsked } from '../../../advice/plan/index.ts';
import { planFields } from '../state/plan-asked.ts';
import type { PlanField } from '../state/plan-asked.ts';
import { rewriteQuery } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { Slider } from './slider.tsx';

const titles: Record<PlanField, { en: string; zh: string }> = {
  modelName: both('Model', '模型'),
  cardName: both('Card', '加速卡'),
  cards: both('Cards', '卡数'),
  inputTokens: both('Mean input tokens', '平均输入 token'),
  outputTokens: both('Mean output tokens', '平均输出 token'),
  maxInputTokens: both('Longest input (context)', '最长输入（上下文）'),
  maxOutputTokens: both('Longest output', '最长输出'),
  blockSize: both('Block size', 'block 大小'),
  memoryFraction: both('Memory fraction', '显存比例'),
  weightFormat: both('Weights', '权重格式'),
  kvFormat: both('KV cache', 'KV 格式'),
};

const formats = ['', 'bf16', 'fp8', 'int8', 'int4'];

/** The question of a plan; every change is in the address at once. */
export function PlanForm({
  asked,
  models,
  cards,
}: {
  asked: PlanAsked;
  models: readonly string[];
  cards: readonly string[];
}) {
  const choice = (field: PlanField, values: readonly string[]) => (
    <label class="field" key={field}>
      <span>{t(titles[field])}</span>
      <select
        name={planFields[field].name}
        value={String(asked[field] ?? '')}
        onChange={(event) => rewriteQuery({ [planFields[field].name]: event.currentTarget.value })}
      >
        {values.map((value) => (
          <option key={value} value={value}>
            {value === '' ? t('as the model', '同模型') : value}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form class="side" onSubmit={(event) => event.preventDefault()}>
      {choice('modelName', models)}
      {choice('cardName', cards)}
      {(Object.keys(planFields) as PlanField[]).map((field) => {
        const { name, ...range } = planFields[field];
        if (!('least' in range)) return null;
        return (
          <Slider
            key={field}
            name={name}
            title={t(titles[field])}
            value={Number(asked[field])}
            least={range.least}
            most={range.most}
            step={'step' in range ? range.step : 1}
            set={(value) => rewriteQuery({ [name]: String(value) })}
          />
        );
      })}
      {choice('weightFormat', formats)}
      {choice('kvFormat', formats)}
    </form>
  );
}

/** The command that answers the same. */
export function planCommand(asked: PlanAsked): string {
  const flags = (Object.keys(planFields) as PlanField[])
    .filter((field) => asked[field] !== undefined)
    .map((field) => `--${planFields[field].flag} ${String(asked[field])}`);
  return `dyno plan ${flags.join(' ')}`;
}
