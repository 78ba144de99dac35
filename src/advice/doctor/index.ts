/**
 * What is wrong with this host, this client or that engine before anyone measures: each check answers ok, warn, bad or
 * unknown, with what it saw and the command that mends it.
 *
 * Reads only: nothing here changes a setting, needs root, or fails because a file or tool is not there (then the answer
 * is unknown). Files come through HostFiles, so that a test or a container without /sys can stand in.
 * Start at host-checks.ts; numa-check.ts advises bindings, client-checks.ts and engine-checks.ts are the other two lists.
 */
export { capturedFiles } from './captured-files.ts';
export type { Check, CheckStatus } from './check.ts';
export { clientChecks } from './client-checks.ts';
export { engineChecks } from './engine-checks.ts';
export { hostChecks } from './host-checks.ts';
export type { HostView } from './host-checks.ts';
