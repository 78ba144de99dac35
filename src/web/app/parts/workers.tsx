import type { Sweep } from '../../../core/index.ts';
import { workersTable } from '../../../results/report/index.ts';
import { t } from '../state/settings.ts';
import { CardTable, TableHead } from './card-table.tsx';

/** The machines that sent the requests of a result, one row each; nothing where one machine did it all. */
export function Workers({ sweep }: { sweep: Sweep }) {
  const { heads, rows } = workersTable([sweep]);
  if (rows.length === 0) return null;
  const title = t('Workers', '各 worker');
  return (
    <section aria-labelledby="workers-title">
      <h2 id="workers-title">{title}</h2>
      <CardTable caption={title}>
        <TableHead names={heads.map((head, i) => (i < 2 ? { left: t(head) } : t(head)))} />
        <tbody>
          {rows.map(([name, ...cells], row) => (
            <tr key={row}>
              <th scope="row" class="left">
                {t(name!)}
              </th>
              {cells.map((cell, i) => (
                <td class={i === 0 ? 'left' : undefined} key={i}>
                  {t(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </CardTable>
    </section>
  );
}
