import { App } from './app.tsx';
import { render } from './preact.ts';

render(<App />, document.querySelector('#app')!);
