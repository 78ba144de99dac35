/**
 * SVG → PNG, with the one font that travels with llmdyno, so that a picture is the same on every machine.
 *
 * Worldly because the drawing library is native code and reads the font from a file; the report room stays pure and
 * hands over SVG text. No font of the system is ever looked at; characters that the font lacks are told to the caller,
 * since the library would leave them out without a word.
 * Start reading at png.ts; font-coverage.ts reads which characters the font has.
 */
export { pngOf } from './png.ts';
export type { Png } from './png.ts';
