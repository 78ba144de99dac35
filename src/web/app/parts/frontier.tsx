import { printable } from '../../../core/index.ts';
import type { FrontierPage } from '../../api/shapes.ts';
import { useEffect, useState } from '../preact.ts';
import { ask, tell, useLoaded } from '../state/ask.ts';
import { both, t } from '../state/settings.ts';
import { CardTable, TableHead } from './card-table.tsx';
import { toast } from './toasts.tsx';

type Machine = FrontierPage['machines'][number];

const facts = {
  cards: both('Cards', '卡数'),
  price: both('Price per hour', '每小时价格'),
  power: both('Power (W)', '功率 (W)'),
} as const;
type Fact = keyof typeof facts;

/** What one card, watt or unit of money gives users of a given speed, and fields to say what the machine was. */
export function Frontier({
  ids,
  names,
  changed,
}: {
  ids: readonly string[];
  names: readonly string[];
  changed(): void;
}) {
  const query = new URLSearchParams(ids.map((id) => ['id', id])).toString();
  const { data, again } = useLoaded(query, (signal) => ask<FrontierPage>(`/frontier?${query}`, { signal }));
  if (data === null) return null;
  const { tables, notes, machines } = data;
  return (
    <section aria-labelledby="frontier-title" id="frontier">
      <h2 id="frontier-title">{t('Per card, watt and price', '按卡、功耗与价格')}</h2>
      {tables.map(({ title, head, rows }) => (
        <div key={title.en}>
          <h3>{t(title)}</h3>
          <CardTable caption={t(title)}>
            <TableHead names={head.map((name) => t(name))} />
            <tbody>
              {rows.map(([speed, ...cells]) => (
                <tr key={speed}>
                  <th scope="row">{t(`${speed} tokens/s per user`, `单用户 ${speed} tok/s`)}</th>
                  {cells.map((cell, i) => (
                    <td key={i}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </CardTable>
        </div>
      ))}
      {notes.map((note) => (
        <p class="faint" key={note.en}>
          {t(note)}
        </p>
      ))}
      {machines.map((machine, i) => (
        <MachineForm
          key={machine.id}
          name={machines.length > 1 ? printable(names[i] ?? machine.id) : null}
          id={ids[i]!}
          machine={machine}
          changed={() => {
            again();
            changed();
          }}
        />
      ))}
    </section>
  );
}

interface FormProps {
  name: string | null;
  id: string;
  machine: Machine;
  changed(): void;
}

function MachineForm({ name, id, machine, changed }: FormProps) {
  const [typed, setTyped] = useState<Record<Fact, string>>(() => textsOf(machine));
  const kept = JSON.stringify(textsOf(machine));
  useEffect(() => setTyped(textsOf(machine)), [kept]);
  const save = (event: Event): void => {
    event.preventDefault();
    const said = Object.fromEntries(
      (Object.keys(facts) as Fact[]).map((fact) => [fact, typed[fact].trim() === '' ? null : Number(typed[fact])]),
    );
    tell(`/runs/${encodeURIComponent(id)}/machine`, said).then(changed, (error: unknown) => toast(String(error)));
  };
  return (
    <form class="limits machine" onSubmit={save}>
      {name !== null && <strong>{name}</strong>}
      {(Object.keys(facts) as Fact[]).map((fact) => (
        <label key={fact}>
          {t(facts[fact])}{' '}
          <input
            name={fact}
            type="number"
            min="0.001"
            step="any"
            value={typed[fact]}
            placeholder="–"
            onInput={(event) => setTyped({ ...typed, [fact]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit" class="small" disabled={JSON.stringify(typed) === kept}>
        {t('Save', '保存')}
      </button>
    </form>
  );
}

function textsOf({ cards, price, power }: Machine): Record<Fact, string> {
  return { cards: String(cards ?? ''), price: String(price ?? ''), power: String(power ?? '') };
}
