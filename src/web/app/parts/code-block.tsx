import { t } from '../state/settings.ts';
import { Icon } from './icon.tsx';
import { toast } from './toasts.tsx';

/** A command, YAML or config that is there to be copied. */
export function CodeBlock({ text, id }: { text: string; id?: string }) {
  return (
    <div class="code-block">
      <pre tabIndex={0} id={id}>
        {text}
      </pre>
      <button
        type="button"
        class="small copy"
        onClick={() => void copied(text, t('Copied', '已复制'))}
        aria-label={t('Copy', '复制')}
      >
        <Icon name="copy" /> {t('Copy', '复制')}
      </button>
    </div>
  );
}

/** Copies and says so. Browsers keep the clipboard from a page that came over plain HTTP from another machine: a selection is copied there. */
export async function copied(text: string, says: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const done = await clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (done !== true) {
    const box = document.createElement('textarea');
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand('copy');
    box.remove();
  }
  toast(says, undefined, 2500);
}
