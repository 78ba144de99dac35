/** Quantile p of the standard normal (a rational start, then Halley steps to double precision). */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : NaN;
  const tail = Math.min(p, 1 - p);
  const q = Math.sqrt(-2 * Math.log(tail));
  // Abramowitz and Stegun 26.2.23, refined below to double precision.
  let x = q - (2.515517 + 0.802853 * q + 0.010328 * q * q) / (1 + 1.432788 * q + 0.189269 * q * q + 0.001308 * q ** 3);
  for (let i = 0; i < 3; i++) {
    const error = normalTail(x) - tail;
    const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const step = -error / density;
    x -= step / (1 + (x * step) / 2);
  }
  return p < 0.5 ? -x : x;
}

/** P(Z > x) for a standard normal, through the incomplete gamma function. */
function normalTail(x: number): number {
  return x < 0 ? 1 - normalTail(-x) : 0.5 * upperGammaHalf((x * x) / 2);
}

/** Upper regularized incomplete gamma function for a = 1/2 (the square of a normal). */
function upperGammaHalf(x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(-x) * Math.sqrt(x / Math.PI);
  if (x < 3) {
    let term = 2;
    let sum = 2;
    for (let n = 1; n < 200 && term > sum * 1e-17; n++) {
      term *= x / (n + 0.5);
      sum += term;
    }
    return 1 - front * sum;
  }
  // Lentz's continued fraction: far out nothing is left of 1 − the lower function.
  let b = x + 0.5;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let i = 1; i < 300; i++) {
    const a = -i * (i - 0.5);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    const step = d * c;
    h *= step;
    if (Math.abs(step - 1) < 1e-16) break;
  }
  return front * h;
}

/** Quantile p of Student's t with so many degrees of freedom, by bisection on its distribution function. */
export function studentQuantile(p: number, freedom: number): number {
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentQuantile(1 - p, freedom);
  let high = 1;
  while (studentTail(high, freedom) > 1 - p && high < 1e9) high *= 2;
  let low = 0;
  for (let i = 0; i < 200 && high - low > 1e-13 * high; i++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, freedom) > 1 - p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(T > t) of Student's t for t ≥ 0. */
export function studentTail(t: number, freedom: number): number {
  return 0.5 * regularizedBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** Regularized incomplete beta function by its continued fraction (Lentz). */
export function regularizedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - regularizedBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / avoidZero(1 - ((a + b) * x) / (a + 1), tiny);
  let h = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / avoidZero(1 + even * d, tiny);
    c = avoidZero(1 + even / c, tiny);
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / avoidZero(1 + odd * d, tiny);
    c = avoidZero(1 + odd / c, tiny);
    const step = d * c;
    h *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return front * h;
}

function avoidZero(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

/** Logarithm of the gamma function for positive arguments (Stirling's series after shifting above 15). */
export function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < 15) {
    shift -= Math.log(z);
    z += 1;
  }
  const r = 1 / (z * z);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188))))) / z;
  return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series;
}
