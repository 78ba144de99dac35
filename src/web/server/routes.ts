import { fileRoutes } from './routes/file-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { workRoutes } from './routes/work-routes.ts';
import type { Route } from './route.ts';

/** Where the API begins; another version would begin elsewhere. */
export const apiRoot = '/api/v1';

/** Everything the server does besides handing out the page. */
export const routes: readonly Route[] = [...runRoutes, ...fileRoutes, ...workRoutes];
