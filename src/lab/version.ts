import manifest from '../../package.json' with { type: 'json' };

/** The version of llmdyno that is running. */
export const version: string = manifest.version;
