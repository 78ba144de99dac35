/** How numbers of one kind are stored: the name that engines use, and its width. */
export const numberFormats = {
  float32: { bytes: 4 },
  bfloat16: { bytes: 2 },
  float16: { bytes: 2 },
  fp8: { bytes: 1 },
  int8: { bytes: 1 },
  fp4: { bytes: 0.5 },
  int4: { bytes: 0.5 },
} as const;

/** The name of one storage format. */
export type NumberFormat = keyof typeof numberFormats;

const spellings: Readonly<Record<string, NumberFormat>> = {
  float32: 'float32',
  fp32: 'float32',
  bfloat16: 'bfloat16',
  bf16: 'bfloat16',
  float16: 'float16',
  fp16: 'float16',
  half: 'float16',
  fp8: 'fp8',
  fp8_e4m3: 'fp8',
  fp8_e5m2: 'fp8',
  float8_e4m3fn: 'fp8',
  float8_e5m2: 'fp8',
  int8: 'int8',
  w8a8: 'int8',
  w8a16: 'int8',
  fp4: 'fp4',
  nvfp4: 'fp4',
  mxfp4: 'fp4',
  int4: 'int4',
  w4a16: 'int4',
  awq: 'int4',
};

/** The format that a spelling means ("bf16", "torch.bfloat16", "fp8_e4m3" …); null = not one we know. */
export function numberFormatOf(spelling: string): NumberFormat | null {
  const key = spelling.toLowerCase().replace(/^torch\./, '');
  return Object.hasOwn(spellings, key) ? spellings[key]! : null;
}

/** Bytes one stored number takes; 4-bit formats take half a byte. */
export function bytesOf(format: NumberFormat): number {
  return numberFormats[format].bytes;
}
