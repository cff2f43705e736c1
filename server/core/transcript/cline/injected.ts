import type { InjectedPrefixes } from '../reading/injected.ts';

/** Texts that Cline and the extensions derived from it put into the user's role. */
export const clineInjections: InjectedPrefixes = ['<environment_details>'];
