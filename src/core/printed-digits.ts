/** How far the true value may be from printed digits: half a unit of the last place. */
export function halfUlp(digits: string): number {
  const exponent = /e([+-]?\d+)$/i.exec(digits);
  const mantissa = exponent === null ? digits : digits.slice(0, exponent.index);
  const point = mantissa.indexOf('.');
  const decimals = point === -1 ? 0 : mantissa.length - point - 1;
  return 0.5 * 10 ** ((exponent === null ? 0 : Number(exponent[1])) - decimals);
}
