import type { Comparison } from '../../measure/index.ts';
import { forestOf } from '../sentence/forest.ts';
import { both, markup, text } from './both.ts';
import type { Html } from './both.ts';

/** The changes of every candidate with their intervals under each other, coloured by verdict; null where nothing is known of both. */
export function forestHtml(comparison: Comparison): Html | null {
  const plots = comparison.names.slice(1).flatMap((name, candidate): Html[] => {
    const forest = forestOf(comparison, candidate);
    if (forest === null) return [];
    const { rows, zero, ends } = forest;
    const percent = (share: number): Html => text(`${(share * 100).toFixed(2)}%`);
    const lines = rows.map(
      ({ metric, place, change, verdict, says, at, from, to }) =>
        markup`<li class="${text(verdict)}">
          <span>${both(metric)} ${text(place === null ? '' : `@ ${place}`)}</span>
          <span class="track" aria-hidden="true">
            <i class="zero" style="left:${percent(zero)}"></i>
            ${from === null || to === null ? text('') : markup`<i class="span" style="left:${percent(from)};width:${percent(to - from)}"></i>`}
            <i class="dot" style="left:${percent(at)}"></i>
          </span>
          <strong>${text(change)}</strong>
          <span>${both(says)}</span>
        </li>`,
    );
    const more = comparison.names.length > 2 ? text(`: ${name}`) : text('');
    return [
      markup`<h2>${both({ en: 'Change against the baseline', zh: '相对基线的变化' })}${more}</h2>
        <ol>${lines}</ol>
        <p class="faint">${text(`${ends[0]} … ${ends[1]}`)}</p>`,
    ];
  });
  return plots.length === 0 ? null : markup`<section class="forest" id="changes">${plots}</section>`;
}
