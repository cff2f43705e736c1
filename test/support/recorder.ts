/** A recorder for tests, which uses no separate thread. */

import { RecorderService } from '../../server/recorder/thread/recorderService.ts';
import type { RecorderPort } from '../../server/rpc/methods/recorder.ts';
import { silentLogger } from './logger.ts';

/** Returns a recorder that runs in the thread of the test until `stop`. */
export function createTestRecorder(
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
