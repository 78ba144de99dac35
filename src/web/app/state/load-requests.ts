import { blockReader } from '../../api/request-columns.ts';
import { call } from './ask.ts';
import { RequestData } from './request-data.ts';

/** Reads the requests of a run, telling whenever more are there. */
export async function loadRequests(id: string, signal: AbortSignal, told: (data: RequestData) => void): Promise<void> {
  const response = await call(`/runs/${encodeURIComponent(id)}/columns`, { signal });
  const data = new RequestData();
  const read = blockReader();
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const block of read(value)) data.add(block);
    told(data);
  }
  data.whole = true;
  told(data);
}
