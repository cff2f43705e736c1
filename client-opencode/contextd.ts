/** The file that OpenCode loads. It has one export, since OpenCode treats every export as a plugin. */

import { createPluginServices } from '../kit/node/start.ts';
import type { OpenCodeHooks, OpenCodeInput } from './host.ts';
import { openCodeHooks } from './plugin.ts';

/** Replaced by `contextd install` with the JSON of a `DaemonStart`. */
const placed = '__CONTEXTD_START__';

/** contextd for OpenCode. */
export async function contextd(input: OpenCodeInput): Promise<OpenCodeHooks> {
	return openCodeHooks(input, createPluginServices(placed, input.directory));
}
