/** Messages between the daemon and the recorder's thread. */

import type { ThreadAnswer } from '../node/transcript/thread/threadMessages.ts';
import type { Logger } from '../session/ports.ts';

/** The data that the thread is started with. */
export interface RecorderStart {
	/** The folder of the archive and its settings. */
	folder: string;
	/** The user's home folder. */
	home: string;
	platform: NodeJS.Platform;
}

/** A call of a method. */
export interface RecorderCall {
	id: number;
	method: string;
	params: object;
}

/** The result or the error of a call, a line for the log, or the news that recording starts or stops. */
export type RecorderReply =
	| { t: 'result'; id: number; result: unknown }
	| { t: 'failure'; id: number; failure: Extract<ThreadAnswer, { t: 'failed' }> }
	| { t: 'log'; level: keyof Logger; message: string }
	| { t: 'recording'; recording: boolean };
