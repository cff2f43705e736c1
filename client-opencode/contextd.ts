/** The file that OpenCode loads: it takes every export for a plugin, so there is one. */

import { groundOf } from '../kit/node/start.ts';
import type { OpenCodeHooks, OpenCodeInput } from './hooks.ts';
import { openCodeHooks } from './plugin.ts';

/** What an installation replaces by the JSON of how the daemon is started. */
const placed = '__CONTEXTD_START__';

/** contextd for OpenCode. */
export async function contextd(input: OpenCodeInput): Promise<OpenCodeHooks> {
	return openCodeHooks(input, groundOf(placed, input.directory));
}
