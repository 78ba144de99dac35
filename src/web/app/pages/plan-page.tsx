import { CodeBlock } from '../parts/code-block.tsx';
import { UserError } from '../../../core/index.ts';
import { cards, knownModels } from '../../../inputs/hardware/index.ts';
import { emitProfile, emitVllm, emitSglang, mindiePatch, planDocument } from '../../../advice/plan/index.ts';
import type { PlanAsked, PlanDocument } from '../../../advice/plan/index.ts';
import type { Figure } from '../../../results/report/index.ts';
import { FigureBox } from '../parts/figure-box.tsx';
import { MemoryBar } from '../parts/memory-bar.tsx';
import { PlanForm, planCommand } from '../parts/plan-form.tsx';
import { PlanFigures } from '../parts/plan-figures.tsx';
import { TroubleBox } from '../parts/states.tsx';
import { useMemo } from '../preact.ts';
import { ApiError } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import type { Place } from '../state/place.ts';
import { t } from '../state/settings.ts';
import { askedOf } from '../state/plan-asked.ts';
import { FindingBox } from '../parts/findings.tsx';
import { estimatesFigure } from '../charts/estimates-figure.ts';

/** Capacity on paper, answered as one types: the plan room runs in the browser. */
export function PlanPage({ place }: { place: Place }) {
  const asked = askedOf(place.query);
  const answer = useMemo(() => planned(asked), [place.query.toString()]);
  const figure: Figure | null = useMemo(() => ('plan' in answer ? estimatesFigure(answer.plan) : null), [answer]);
  return (
    <>
      <div class="page-head">
        <h1>{t('Plan', '规划')}</h1>
        <p class="faint">
          {t(
            'memory, KV blocks and batch sizes on paper, before anything is measured',
            '未测先算：显存、KV block 与批大小',
          )}
        </p>
        <div class="actions">
          {'plan' in answer && answer.plan.stepCostPrior !== null && (
            <a class="button" id="simulate-plan" href={linkTo('simulate', '', simulateQuery(place.query))}>
              {t('Simulate this', '模拟此配置')}
            </a>
          )}
        </div>
      </div>
      <div class="split">
        <PlanForm asked={asked} models={knownModels.map(({ name }) => name)} cards={cards.map(({ name }) => name)} />
        <div class="answer" aria-live="polite">
          {'trouble' in answer ? (
            <TroubleBox trouble={answer.trouble} />
          ) : (
            <>
              <MemoryBar plan={answer.plan} />
              <PlanFigures plan={answer.plan} />
              {figure !== null && <FigureBox figure={figure} query={place.query} />}
              {answer.plan.notes.length > 0 && (
                <section aria-label={t('Notes', '说明')}>
                  {answer.plan.notes.map((note, i) => (
                    <FindingBox key={i} finding={note} at={[]} many={false} />
                  ))}
                </section>
              )}
              <Emitted plan={answer.plan} />
            </>
          )}
        </div>
      </div>
      <section aria-label={t('The same in a terminal', '等价命令')}>
        <h3>{t('The same in a terminal', '等价命令')}</h3>
        <CodeBlock id="command-line" text={planCommand(asked)} />
      </section>
    </>
  );
}

function planned(asked: PlanAsked): { plan: PlanDocument } | { trouble: ApiError } {
  try {
    return { plan: planDocument(asked) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { trouble: new ApiError(400, error.mistakes) };
  }
}

function simulateQuery(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams(query);
  asked.set('engine', 'plan');
  return asked;
}

/** Settings to copy, or why the engine would not start with them. */
function orRefusal(emit: () => string): string {
  try {
    return emit();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.mistakes.map(({ message, hint }) => `${t(message)}\n→ ${t(hint)}`).join('\n');
  }
}

function Emitted({ plan }: { plan: PlanDocument }) {
  const known = knownModels.find(({ name }) => name === plan.model.name);
  const target = { model: known?.huggingFace ?? plan.model.name, kvFormat: null };
  const texts: [string, string][] = [
    ['vllm serve', orRefusal(() => emitVllm(plan, target))],
    ['sglang.launch_server', orRefusal(() => emitSglang(plan, target))],
    ['MindIE config.json', orRefusal(() => JSON.stringify(mindiePatch(plan), null, 2))],
    ...(plan.stepCostPrior === null
      ? []
      : ([[t('engine profile', '引擎配置'), JSON.stringify(emitProfile(plan, today()), null, 2)]] as [
          string,
          string,
        ][])),
  ];
  return (
    <section aria-label={t('Settings to copy', '可复制的配置')}>
      {texts.map(([name, text]) => (
        <details key={name}>
          <summary>{name}</summary>
          <CodeBlock text={text} />
        </details>
      ))}
      <details>
        <summary>{t('Formulas', '公式')}</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={t('Formulas', '公式')}>
          <table class="plain">
            <tbody>
              {plan.formulas.map(({ name, formula, numbers }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{formula}</td>
                  <td>{numbers}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
