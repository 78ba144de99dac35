import { both, t } from '../state/settings.ts';
import { Icon } from './icon.tsx';
import { toast } from './toasts.tsx';

/** A command, YAML or config that is there to be copied. */
export function CodeBlock({ text, id }: { text: string; id?: string }) {
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(() => toast(t(both('Copied', '已复制')), undefined, 2500));
  return (
    <div class="code-block">
      <pre tabIndex={0} id={id}>
        {text}
      </pre>
      <button type="button" class="small copy" onClick={copy} aria-label={t(both('Copy', '复制'))}>
        <Icon name="copy" /> {t(both('Copy', '复制'))}
      </button>
    </div>
  );
}
