import { mistake, UserError } from '../../core/index.ts';
import type { Mistake } from '../../core/index.ts';
import { checkSettings } from '../prepare/assemble-plan.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import { readVocabulary, throwMistakes } from './read-vocabulary.ts';
import type { GivenSetting, Vocabulary, SettingsOf } from './read-vocabulary.ts';
import { planSettings } from './plan-settings.ts';

/**
 * The settings of an experiment, read and held against each other; everything that is wrong is told at once. `more` = settings beside
 * those of every plan; `otherwise` = the address where none is said, null = one has to be.
 */
export function readSettings<V extends Vocabulary>(
  given: readonly GivenSetting[],
  more: V,
  otherwise: string | null,
): PlanSettings & { url: string } & SettingsOf<V> {
  const { settings, mistakes } = readVocabulary({ ...planSettings, ...more }, given);
  const read = settings as PlanSettings & SettingsOf<V>;
  const all: Mistake[] = [...mistakes, ...checkSettings(read)];
  const url = read.url ?? otherwise;
  if (url === null && mistakes.length === 0)
    all.push(
      mistake(
        'no-url',
        'no server to test',
        '没有指定要测试的服务器',
        'Give its address, for example: dyno run http://127.0.0.1:8000 — or start a simulated one: dyno engine',
        '请给出地址，例如：dyno run http://127.0.0.1:8000；或启动模拟引擎：dyno engine',
      ),
    );
  throwMistakes(all);
  return { ...read, url: url! };
}

/** A run is a single point: several of them are a UserError. */
export function refuseLists(settings: PlanSettings): void {
  const lists = (['concurrency', 'rate'] as const).filter((name) => (settings[name]?.length ?? 0) > 1);
  if (lists.length === 0) return;
  throw new UserError(
    lists.map((name): Mistake =>
      mistake(
        'list-in-run',
        'a run is one load point, and this is a list',
        'run 只测试一个负载点，这里给出了列表',
        'Use `dyno sweep` for several points.',
        '多个负载点请使用 `dyno sweep`。',
        `--${name}`,
      ),
    ),
  );
}
