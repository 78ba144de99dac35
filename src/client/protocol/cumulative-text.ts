import type { OutputKind } from '../../core/index.ts';
import type { ParsedEvent } from './protocol.ts';

/** After so many repetitions in a row the server is taken to repeat its text; fewer may be an accident of the language. */
const enough = 2;

/**
 * Tells new text from text said again. Some servers send all that was said so far in every piece (MindIE's
 * fullTextEnabled, vLLM's own /generate); others send only what is new, and nothing in the stream says which. Pieces are
 * taken as new until two in a row begin with the whole piece before them and are longer; then what was said is restated.
 */
export class CumulativeText {
  #last = '';
  #repeats = 0;
  #pieces = 0;
  /** The wire always sends all text so far: a piece that does not continue the one before takes part of it back. */
  readonly #always: boolean;

  /** Pass true for a wire that always repeats. */
  constructor(/** null = not known yet. */ private cumulative: boolean | null = null) {
    this.#always = cumulative === true;
  }

  /** Whether every piece is known to be new text. */
  get plain(): boolean {
    return this.cumulative === false;
  }

  /** Takes a piece that is new text as it stands, as `hear` would; false = it is not, and was not taken. */
  takesWhole(piece: string): boolean {
    if (this.cumulative !== null) return !this.cumulative;
    if (piece === '') return false;
    const repeats = this.#pieces > 0 && piece.length > this.#last.length && piece.startsWith(this.#last);
    if (repeats && this.#repeats + 1 >= enough) return false;
    if (repeats) this.#repeats++;
    else if (this.#pieces > 0) this.cumulative = false;
    this.#pieces++;
    this.#last = piece;
    return true;
  }

  /** What a piece of text means; nothing for a piece that says nothing new. */
  hear(of: OutputKind, piece: string, tokens: number | null = null): ParsedEvent[] {
    if (piece === '') return [];
    const fresh = (text: string): ParsedEvent[] => (text === '' ? [] : [{ kind: 'text', of, text, events: 1, tokens }]);
    if (this.cumulative === false) return fresh(piece);
    this.#pieces++;
    const before = this.#last;
    const repeats = piece.length > before.length && piece.startsWith(before);
    this.#last = piece;
    if (this.#always && before !== '' && !repeats && piece !== before) {
      const kept = sharedLength(before, piece);
      return [{ kind: 'restated', of, text: piece.slice(0, kept) }, ...fresh(piece.slice(kept))];
    }
    if (this.cumulative === true) return fresh(repeats ? piece.slice(before.length) : piece === before ? '' : piece);
    if (this.#pieces === 1) return fresh(piece);
    if (!repeats) {
      this.cumulative = false;
      return fresh(piece);
    }
    if (++this.#repeats < enough) return fresh(piece);
    this.cumulative = true;
    return [{ kind: 'restated', of, text: before }, ...fresh(piece.slice(before.length))];
  }
}

/** How many characters two texts begin with alike; no character is cut in half. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  const last = one.charCodeAt(length - 1);
  return last >= 0xd800 && last < 0xdc00 ? length - 1 : length;
}
