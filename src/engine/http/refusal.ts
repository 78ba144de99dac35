/** An answer that is an error, in OpenAI's shape. */
export interface Refusal {
  status: number;
  type: string;
  message: string;
  /** The field at fault. */
  param: string | null;
  headers?: Readonly<Record<string, string>>;
}

/** A refusal of a body that is wrong. */
export function badRequest(message: string, param: string | null = null): Refusal {
  return { status: 400, type: 'BadRequestError', message, param };
}

/** The JSON that goes with a refusal. */
export function refusalBody(refusal: Refusal): string {
  const { message, type, param, status } = refusal;
  return JSON.stringify({ error: { message, type, param, code: status } });
}
