/** The recorder in this thread. */

import { RecorderService } from '../../server/recorder/thread/recorderService.ts';
import type { RecorderPort } from '../../server/rpc/methods/recorder.ts';
import { silentLogger } from './logger.ts';

/** A recorder that answers in this thread, until `stop`. */
export function recorderHere(
	folder: string,
	home: string,
): RecorderPort & { service: RecorderService; stop(): Promise<void> } {
	const service = new RecorderService({ folder, home, platform: process.platform }, silentLogger, () => {});
	service.start();
	return {
		service,
		ask: async <Result>(method: string, params: object) =>
			(await service.methods[method]?.(params as never)) as Result,
		stop: () => service.stop(),
	};
}
