import type { Figure } from '../../../results/report/index.ts';
import { useEffect } from '../preact.ts';
import { FigureBox } from './figure-box.tsx';

/** Figures under each other; the one that the address names is scrolled to. */
export function Figures({ figures, query }: { figures: readonly Figure[]; query: URLSearchParams }) {
  const wanted = query.get('figure');
  useEffect(() => {
    if (wanted !== null) document.querySelector(`#figure-${CSS.escape(wanted)}`)?.scrollIntoView();
  }, [wanted, figures]);
  return (
    <>
      {figures.map((figure) => (
        <FigureBox key={figure.id} figure={figure} query={query} />
      ))}
    </>
  );
}
