/** The recorder in this thread. */

import { Desk } from '../../server/recorder/thread/desk.ts';
import type { RecorderPort } from '../../server/rpc/methods/recorder.ts';
import { silentLogger } from './logger.ts';

/** A recorder that answers in this thread, until `stop`. */
export function recorderHere(
	folder: string,
	home: string,
): RecorderPort & { desk: Desk; stop(): Promise<void> } {
	const desk = new Desk({ folder, home, platform: process.platform }, silentLogger, () => {});
	desk.start();
	return {
		desk,
		ask: async <Result>(method: string, params: object) =>
			(await desk.methods[method]?.(params as never)) as Result,
		stop: () => desk.stop(),
	};
}
