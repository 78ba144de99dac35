import { useLayoutEffect, useRef } from '../preact.ts';
import type { ComponentChildren } from '../preact.ts';

interface CardTableProps {
  caption: string;
  id?: string;
  class?: string;
  children: ComponentChildren;
}

/** A table whose rows become cards on a phone, where each cell names its column itself. */
export function CardTable({ caption, id, class: more = '', children }: CardTableProps) {
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    const { tHead, tBodies } = table.current!;
    const heads = [...tHead!.rows[0]!.cells].map((head) => head.textContent.replace(/ [↑↓]$/, ''));
    for (const body of tBodies)
      for (const row of body.rows) {
        // A name that stands for several rows is a cell of the first of them only.
        const missing = heads.length - row.cells.length;
        for (const [i, cell] of [...row.cells].entries())
          if (cell.tagName === 'TD') cell.dataset['label'] = heads[i + missing] ?? '';
      }
  });
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table id={id} class={`cards ${more}`} ref={table}>
        {children}
      </table>
    </div>
  );
}

/** The head of a table, a name each column; that of words stands to the left. */
export function TableHead({ names }: { names: readonly (string | { left: string })[] }) {
  return (
    <thead>
      <tr>
        {names.map((name, i) => (
          <th scope="col" key={i} class={typeof name === 'string' ? undefined : 'left'}>
            {typeof name === 'string' ? name : name.left}
          </th>
        ))}
      </tr>
    </thead>
  );
}
