import { App } from './app.tsx';
import { render } from './preact.ts';
import { keepScroll } from './state/place.ts';

keepScroll();
render(<App />, document.querySelector('#app')!);
