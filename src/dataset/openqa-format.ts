import { emptyPrompt, fieldIsNotText, fieldMissing, lineIsNotAnObject, lineIsNotJson } from './dataset-mistakes.ts';
import type { LineFormat } from './line-formats.ts';

/** JSON objects, one per line, with the prompt in `question` or the field asked for; other fields are left alone. */
export const openqaFormat: LineFormat = {
  read(line, place, field) {
    const wanted = field ?? 'question';
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch (error) {
      return { mistake: lineIsNotJson(place, wanted, error instanceof Error ? error.message : '') };
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      return { mistake: lineIsNotAnObject(place, wanted, kindOf(parsed)) };
    }
    if (!Object.hasOwn(parsed, wanted)) return { mistake: fieldMissing(place, wanted, Object.keys(parsed)) };
    const text: unknown = (parsed as Record<string, unknown>)[wanted];
    if (typeof text !== 'string') return { mistake: fieldIsNotText(place, wanted, kindOf(text)) };
    return text.trim() === '' ? { mistake: emptyPrompt({ ...place, field: wanted }) } : { text };
  },
};

/** JSON's own word for what a value is. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
