/** The file that pi loads. */

import { createPluginServices } from '../kit/node/start.ts';
import { extendPi } from './extension.ts';
import type { PiApi } from './host.ts';

/** Replaced by `contextd install` with the JSON of a `DaemonStart`. */
const startText = '__CONTEXTD_START__';

/** contextd for pi: registers its handlers, tools and commands. */
export default function contextd(pi: PiApi): void {
	extendPi(pi, (cwd) => createPluginServices(startText, cwd));
}
