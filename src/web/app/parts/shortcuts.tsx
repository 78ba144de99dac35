import { useLayoutEffect, useRef } from '../preact.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { Icon } from './icon.tsx';

const goings: Record<string, string> = { r: 'runs', l: 'live', c: 'compare', p: 'plan', s: 'simulate', t: 'tune' };

const rows = [
  [
    'g r · l · c · p · s · t',
    both('go to Runs, Live, Compare, Plan, Simulate, Tune', '前往 运行、实时、对比、规划、模拟、调优'),
  ],
  ['/', both('search', '搜索')],
  ['j  k', both('next and previous row', '下一行、上一行')],
  ['Enter', both('open the row', '打开该行')],
  ['x', both('pick the row for a comparison', '选中该行用于对比')],
  ['c', both('compare what is picked', '比较已选')],
  ['?', both('this list', '显示本列表')],
] as const;

/** Whether keys belong to a field and not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]'))
  );
}

/** The keys of every page, and the list of them. */
export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    let going = -Infinity;
    const pressed = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      if (event.key === '?') dialog.current?.showModal();
      else if (event.key === 'g') going = event.timeStamp;
      else if (event.timeStamp - going < 1200 && event.key in goings) {
        going = -Infinity;
        event.preventDefault();
        event.stopImmediatePropagation();
        location.hash = linkTo(goings[event.key]!);
      }
    };
    addEventListener('keydown', pressed, { capture: true });
    return () => removeEventListener('keydown', pressed, { capture: true });
  }, []);
  const title = t('Keyboard', '快捷键');
  return (
    <>
      <button type="button" class="quiet icon-button" aria-label={title} onClick={() => dialog.current?.showModal()}>
        <Icon name="keyboard" />
      </button>
      <dialog ref={dialog} aria-label={title}>
        <h2>{title}</h2>
        <table class="plain">
          <tbody>
            {rows.map(([keys, says]) => (
              <tr key={keys}>
                <th scope="row">
                  <kbd>{keys}</kbd>
                </th>
                <td>{t(says)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <form method="dialog">
          <button type="submit">{t('Close', '关闭')}</button>
        </form>
      </dialog>
    </>
  );
}
