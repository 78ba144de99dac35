import { useLayoutEffect, useState } from '../preact.ts';
import { t } from '../state/settings.ts';
import { Icon } from './icon.tsx';

interface Toast {
  number: number;
  text: string;
  action?: { name: string; run(): void };
}

let toasts: Toast[] = [];
let next = 1;
let changed: () => void = () => {};

/** Shows a line at the bottom for a while, with something to do about it where there is. */
export function toast(text: string, action?: Toast['action'], forMs = action ? 20_000 : 8000): void {
  const number = next++;
  toasts = [...toasts.slice(-3), { number, text, ...(action && { action }) }];
  changed();
  setTimeout(() => drop(number), forMs);
}

function drop(number: number): void {
  toasts = toasts.filter((one) => one.number !== number);
  changed();
}

/** Where toasts are shown. */
export function Toasts() {
  const [, again] = useState(0);
  useLayoutEffect(() => {
    changed = () => again((n) => n + 1);
    return () => {
      changed = () => {};
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ number, text, action }) => (
        <div class="toast" key={number}>
          <span>{text}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                drop(number);
                action.run();
              }}
            >
              {action.name}
            </button>
          )}
          <button type="button" class="quiet icon-button" aria-label={t('Close', '关闭')} onClick={() => drop(number)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
