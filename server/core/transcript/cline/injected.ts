import type { InjectedBeginnings } from '../reading/injected.ts';

/** What Cline, and the extensions made from it, puts into the user's role. */
export const clineInjections: InjectedBeginnings = ['<environment_details>'];
