import type { Figure } from '../../../results/report/index.ts';
import { useEffect } from '../preact.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { both, t } from '../state/settings.ts';
import { FigureBox } from './figure-box.tsx';
import { TroubleBox, Waiting } from './states.tsx';

/** The figures of a run or sweep, loaded from the server. */
export function LoadedFigures({ id, query }: { id: string; query: URLSearchParams }) {
  const { data, trouble, again } = useLoaded(id, (signal) =>
    ask<Figure[]>(`/runs/${encodeURIComponent(id)}/figures`, { signal }),
  );
  if (trouble) return <TroubleBox trouble={trouble} again={again} />;
  return data === null ? <Waiting height={520} /> : <Figures figures={data} query={query} />;
}

/** Figures under each other; the one that the address names is scrolled to. */
export function Figures({ figures, query }: { figures: readonly Figure[]; query: URLSearchParams }) {
  const wanted = query.get('figure');
  useEffect(() => {
    if (wanted !== null) document.querySelector(`#figure-${CSS.escape(wanted)}`)?.scrollIntoView();
  }, [wanted, figures]);
  if (figures.length === 0)
    return <p class="faint">{t(both('There is too little to draw.', '数据太少，无法作图。'))}</p>;
  return (
    <>
      {figures.map((figure) => (
        <FigureBox key={figure.id} figure={figure} query={query} />
      ))}
    </>
  );
}
