import { measuredMachine } from '../../results/measure/index.ts';
import type { MachineFacts, MachineOf } from '../../results/measure/index.ts';
import type { Summary } from '../../core/index.ts';
import type { ReportSource } from './report-source.ts';

const unsaid: MachineFacts = { pricePerHour: null, cards: null, powerW: null };

/** The machine behind each point: as it is said now, else as it was said of the result, else as it was recorded beside the run. */
export function machinesOf(told: readonly ReportSource[], said: MachineFacts = unsaid): MachineOf {
  const facts = new Map<Summary, ReportSource['facts']>();
  for (const source of told) for (const point of source.sweep.points) facts.set(point, source.facts);
  return (point) => {
    const own = facts.get(point);
    const measured = measuredMachine(point);
    return {
      pricePerHour: said.pricePerHour ?? own?.pricePerHour ?? null,
      cards: said.cards ?? own?.cards ?? point.asked?.cards ?? measured.cards,
      powerW: said.powerW ?? own?.powerW ?? measured.powerW,
    };
  };
}
