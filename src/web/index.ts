/**
 * A page over the store for whoever wants more than a terminal: `server/` answers HTTP on this machine and tells of runs
 * as they go, `api/` is what both sides say, `app/` is the page (Preact, built by Vite into dist/web).
 *
 * It is a view, not a second program: it computes nothing that a room already computes; the lab renders, imports and starts
 * experiments for it as for the command line. The app imports only pure rooms. Everything that comes from the browser is hostile: ids are looked up in the listing of the store, no path of a client is ever opened.
 * Start reading at server/start-ui.ts, then server/routes.ts; the page starts at app/main.tsx.
 */
export { readAppFiles } from './server/app-files.ts';
export { makeToken } from './server/guard.ts';
export { startUi } from './server/start-ui.ts';
export type { RunningUi } from './server/start-ui.ts';
