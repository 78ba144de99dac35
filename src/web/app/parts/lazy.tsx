import type { ComponentType } from '../preact.ts';
import { useEffect, useState } from '../preact.ts';
import { both } from '../state/settings.ts';
import { ApiError } from '../state/ask.ts';
import { TroubleBox, Waiting } from './states.tsx';

/** Shows a component once its code is there. */
export function Lazy<P extends object>({ load, props }: { load: () => Promise<ComponentType<P>>; props: P }) {
  const [state, setState] = useState<{ component: ComponentType<P> } | { failed: true } | null>(null);
  useEffect(() => {
    let alive = true;
    load().then(
      (component) => alive && setState({ component }),
      () => alive && setState({ failed: true }),
    );
    return () => {
      alive = false;
    };
  }, []);
  if (state === null) return <Waiting />;
  if ('failed' in state) return <TroubleBox trouble={notLoaded} />;
  const Component = state.component as ComponentType<object>;
  return <Component {...props} />;
}

const notLoaded = new ApiError(0, [
  {
    message: both('This page could not be loaded.', '页面加载失败。'),
    hint: both('Is `dyno ui` still running? Reload to try again.', '`dyno ui` 是否仍在运行？请刷新重试。'),
  },
]);
