import { throwMistakes, readVocabulary } from '../settings/read-vocabulary.ts';
import type { GivenSetting } from '../settings/read-vocabulary.ts';
import { planSettings } from '../settings/plan-settings.ts';
import type { TuneRequest } from '../../advice/tune/index.ts';
import { checkSettings } from '../prepare/assemble-plan.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import { nowhere } from '../prepare/prepare.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import { mistake } from '../../core/index.ts';

/** The plan words of a tune's workload, with the workers that flags name; mistakes are told with their lines. */
export function workloadWords(request: TuneRequest, file: string, flags: readonly GivenSetting[]): ServerWords {
  const given = request.workload.map(({ name, texts, line }) => ({
    name,
    texts,
    place: { file, line, field: `workload.${name}` },
  }));
  const { settings, mistakes } = readVocabulary(planSettings, [...given, ...flags]);
  const asked = settings as PlanSettings;
  const own = (['concurrency', 'rate', 'url'] as const).filter((name) => asked[name] !== undefined);
  throwMistakes([
    ...mistakes,
    ...checkSettings(asked),
    ...own.map((name) =>
      mistake(
        'settings-disagree',
        `${name} does not belong to the workload`,
        `${name} 不属于 workload`,
        'Put the load under load:, the address under url:.',
        '负载请写在 load: 下，地址写在 url: 下。',
        { file, field: `workload.${name}` },
      ),
    ),
  ]);
  return { ...asked, url: request.url ?? nowhere };
}
