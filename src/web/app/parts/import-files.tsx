import type { KeptFiles } from '../../api/shapes.ts';
import type { ComponentChildren } from '../preact.ts';
import { useState } from '../preact.ts';
import { ask, ApiError } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import { t } from '../state/settings.ts';
import { toast } from './toasts.tsx';

/** Everything inside takes files that are dropped on it. */
export function DropZone({ done, children }: { done: () => void; children: ComponentChildren }) {
  const [over, setOver] = useState(false);
  const leave = (event: DragEvent): void => {
    const inside = event.relatedTarget instanceof Node && (event.currentTarget as Node).contains(event.relatedTarget);
    if (!inside) setOver(false);
  };
  return (
    <div
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files') !== true) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={leave}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void sendAll([...(event.dataTransfer?.files ?? [])], done);
      }}
    >
      {children}
      {over && <div class="drop-here">{t('Drop to import', '松开即导入')}</div>}
    </div>
  );
}

/** Opens the system's file chooser. */
export function pickFiles(done: () => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.addEventListener('change', () => void sendAll([...(input.files ?? [])], done));
  input.click();
}

async function sendAll(files: readonly File[], done: () => void): Promise<void> {
  for (const file of files) {
    try {
      const kept = await ask<KeptFiles>(`/import?name=${encodeURIComponent(file.name)}`, {
        method: 'POST',
        body: file,
      });
      tellKept(file.name, kept);
    } catch (error) {
      toast(`${file.name}: ${error instanceof ApiError ? t(error.mistakes[0]!.message) : String(error)}`);
    }
  }
  done();
}

function tellKept(name: string, { sweeps, problems }: KeptFiles): void {
  const [first] = sweeps;
  if (first === undefined) {
    const why = problems[0] === undefined ? '' : ` (${t(problems[0].message)})`;
    toast(t(`${name}: nothing was found that could be imported${why}`, `${name}：没有可导入的内容${why}`));
    return;
  }
  const points = sweeps.reduce((sum, sweep) => sum + sweep.points, 0);
  toast(
    t(`${name}: ${sweeps.length} sweeps with ${points} points`, `${name}：${sweeps.length} 个扫描，共 ${points} 个点`),
    { name: t('Open', '打开'), run: () => void (location.hash = linkTo('run', first.id)) },
  );
}
