import type { ComponentChildren } from '../preact.ts';
import type { ApiError } from '../state/ask.ts';
import { t } from '../state/settings.ts';

/** Stands where something will be, with the room it will take. */
export function Waiting({ height = 160 }: { height?: number }) {
  return (
    <div class="waiting" style={{ minHeight: `${height}px` }} role="status" aria-label={t('Loading', '加载中')}>
      <span class="shimmer" />
    </div>
  );
}

/** What went wrong and what to do about it. */
export function TroubleBox({ trouble, again }: { trouble: ApiError; again?: () => void }) {
  return (
    <div class="note bad" role="alert">
      {trouble.mistakes.map(({ message, hint, place }, i) => (
        <p key={i}>
          {flagOf(place) !== null && <code>{flagOf(place)}</code>} <strong>{t(message)}</strong>{' '}
          <span class="faint">{t(hint)}</span>
        </p>
      ))}
      {again && (
        <button type="button" onClick={again}>
          {t('Try again', '重试')}
        </button>
      )}
    </div>
  );
}

/** Nothing is here yet, and how to change that. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

function flagOf(place: object | undefined): string | null {
  return place !== undefined && 'flag' in place && typeof place.flag === 'string' ? place.flag : null;
}
