/** The file that OpenCode loads. It has a single export, because OpenCode treats every export as a plugin. */

import { createPluginServices } from '../kit/node/start.ts';
import type { OpenCodeHooks, OpenCodeInput } from './host.ts';
import { createOpenCodeHooks } from './plugin.ts';

/** Replaced by `contextd install` with the JSON of a `DaemonStart`. */
const startText = '__CONTEXTD_START__';

/** contextd for OpenCode: returns the hooks. */
export async function contextd(input: OpenCodeInput): Promise<OpenCodeHooks> {
	return createOpenCodeHooks(input, createPluginServices(startText, input.directory));
}
