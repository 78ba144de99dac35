import { printable } from '../../../core/index.ts';
import type { Phrase } from '../../../core/index.ts';
import { escapeXml } from '../chart/svg.ts';

/** HTML that is already safe. Only the functions of this file and templates of this folder make it. */
export type Html = string & { readonly html: true };

/** Words of anybody as safe text on one line. */
export function text(value: string): Html {
  return escapeXml(printable(value)) as Html;
}

/** The same words in both languages; the page shows one of them. */
export function both(phrase: Phrase | string): Html {
  if (typeof phrase === 'string') return text(phrase);
  if (phrase.en === phrase.zh) return text(phrase.en);
  return `<span lang="en">${text(phrase.en)}</span><span lang="zh">${text(phrase.zh)}</span>` as Html;
}

/** A template whose parts are safe HTML, lists of it, or numbers. */
export function markup(strings: TemplateStringsArray, ...parts: (Html | readonly Html[] | number)[]): Html {
  let out = strings[0]!;
  for (const [i, part] of parts.entries()) {
    out += Array.isArray(part) ? part.join('') : String(part);
    out += strings[i + 1]!;
  }
  return out as Html;
}

/** A table with a caption; cells of the first column are row headings. */
export function table(caption: Phrase, head: readonly Html[], rows: readonly (readonly Html[])[]): Html {
  const body = rows.map(
    ([first, ...rest]) =>
      markup`<tr>
        <th scope="row">${first ?? text('')}</th>
        ${rest.map((cell) => markup`<td>${cell}</td>`)}
      </tr>`,
  );
  const heads = head.map((cell) => markup`<th scope="col">${cell}</th>`);
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${text(`${caption.en} / ${caption.zh}`)}">
    <table>
      <caption>
        ${both(caption)}
      </caption>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}
