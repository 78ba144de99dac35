import type { Exchange } from '../../../core/index.ts';
import { count, num, time } from '../format.ts';
import { useEffect, useMemo, useRef } from '../preact.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { rewriteQuery } from '../state/place.ts';
import type { RequestData } from '../state/request-data.ts';
import { t } from '../state/settings.ts';
import { GapChart } from './gap-chart.tsx';
import { Icon } from './icon.tsx';
import { causeName } from './request-table.tsx';
import { TroubleBox, Waiting } from './states.tsx';
import { Facts } from './tiles.tsx';

interface Whole {
  exchange: Exchange;
  answer: { text: string; reasoning: string } | null;
}

/** One request in full: when each thing happened, every gap between tokens, what the server said. */
export function RequestDetail({ id, data, seq }: { id: string; data: RequestData; seq: number }) {
  const at = useMemo(() => placeOf(data, seq), [data, data.rows, seq]);
  const { data: whole, trouble } = useLoaded(at === null ? null : `${id} ${seq}`, (signal) =>
    ask<Whole>(`/runs/${encodeURIComponent(id)}/requests/${seq}?at=${at}`, { signal }),
  );
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [whole !== null]);
  return (
    <section class="detail" ref={box} aria-label={t(`Request ${seq}`, `请求 ${seq}`)}>
      <div class="detail-head">
        <h3>{t(`Request ${seq}`, `请求 ${seq}`)}</h3>
        <button
          type="button"
          class="quiet icon-button"
          aria-label={t('Close', '关闭')}
          onClick={() => rewriteQuery({ request: null })}
        >
          <Icon name="close" />
        </button>
      </div>
      {trouble && <TroubleBox trouble={trouble} />}
      {whole === null && trouble === null && (at !== null || !data.whole ? <Waiting height={300} /> : <NoRow />)}
      {whole !== null && <Shown {...whole} />}
    </section>
  );
}

function NoRow() {
  return <p class="faint">{t('This run has no such request.', '此运行没有这个请求。')}</p>;
}

function placeOf(data: RequestData, seq: number): number | null {
  for (let row = 0; row < data.rows; row++) if (data.at('seq', row) === seq) return data.at('atByte', row);
  return null;
}

function Shown({ exchange: x, answer }: Whole) {
  const sent = x.sentMs ?? x.dueMs;
  const first = x.chunks.atMs[0] ?? null;
  const facts: [string, string][] = [
    [t('Outcome', '结局'), x.problem === null ? x.outcome : `${x.outcome}: ${causeName(x.problem.code)}`],
    [t('Due → sent', '到期 → 发送'), x.sentMs === null ? '–' : time(x.sentMs - x.dueMs)],
    [t('New connection', '新建连接'), time(x.connectMs)],
    [t('Sent → first byte', '发送 → 首字节'), x.firstByteMs === null ? '–' : time(x.firstByteMs - sent)],
    [t('Sent → first token', '发送 → 首 Token'), first === null ? '–' : time(first - sent)],
    [t('Sent → end', '发送 → 结束'), time(x.endMs - sent)],
    [t('Input tokens', '输入 token'), num(x.inputTokens.server ?? x.inputTokens.client ?? x.inputTokens.planned)],
    [t('Output tokens', '输出 token'), num(x.outputTokens.server ?? x.outputTokens.client)],
    [t('Reads with output', '含输出的读取'), count(x.chunks.atMs.length)],
    [t('Finish', '结束原因'), x.finish ?? '–'],
    ['HTTP', x.httpStatus === null ? '–' : String(x.httpStatus)],
    [t('Prompt', '提示词'), x.promptId],
    ...Object.entries(x.labels),
  ];
  return (
    <>
      <Facts facts={facts} />
      {x.problem?.words != null && <pre>{x.problem.words}</pre>}
      {x.chunks.atMs.length > 0 && <GapChart exchange={x} />}
      {answer !== null && (
        <details>
          <summary>{t('Answer', '回答')}</summary>
          {answer.reasoning !== '' && <pre class="faint">{answer.reasoning}</pre>}
          <pre>{answer.text}</pre>
        </details>
      )}
    </>
  );
}
