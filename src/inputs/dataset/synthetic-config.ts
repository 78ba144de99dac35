import { readFile, stat } from 'node:fs/promises';
import { UserError } from '../../core/index.ts';
import type { LengthLaw } from '../../core/index.ts';
import { fileNotFound } from './dataset-mistakes.ts';
import { badSynthetic } from './made-mistakes.ts';
import { fieldOf } from './record-format.ts';

const maxBytes = 1024 * 1024;

/** The length laws of a MindIE or AISBench synthetic_config.json. */
export async function readSynthetic(path: string): Promise<{ input: LengthLaw; output: LengthLaw }> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) throw new UserError(fileNotFound(path));
  if (found.size > maxBytes) throw new UserError(badSynthetic(path, 'larger than 1 MiB'));
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UserError(badSynthetic(path, error instanceof Error ? error.message : ''));
  }
  // AISBench puts the same thing one level deeper.
  const config = fieldOf(value, 'StringConfig') ?? value;
  return { input: lawOf(config, 'Input', path), output: lawOf(config, 'Output', path) };
}

function lawOf(config: unknown, side: 'Input' | 'Output', path: string): LengthLaw {
  const part = fieldOf(config, side);
  const params = fieldOf(part, 'Params');
  const number = (name: string, least: number): number => {
    const value = fieldOf(params, name);
    if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
    throw new UserError(badSynthetic(path, `${side}.Params.${name} is not a number of at least ${least}`));
  };
  const [min, max] = [Math.ceil(number('MinValue', 0)), Math.floor(number('MaxValue', 1))];
  const low = Math.max(1, min);
  if (low > max) throw new UserError(badSynthetic(path, `${side}: MinValue is above MaxValue`));
  const method = fieldOf(part, 'Method');
  if (method === 'uniform') return { law: 'uniform', min: low, max };
  if (method === 'zipf') return { law: 'zipf', alpha: number('Alpha', 0), min: low, max };
  if (method === 'gaussian') {
    return { law: 'normal', mean: number('Mean', 0), deviation: Math.sqrt(number('Var', 0)), min: low, max };
  }
  throw new UserError(badSynthetic(path, `${side}.Method must be uniform, gaussian or zipf`));
}
