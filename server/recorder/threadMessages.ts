/** Messages between the daemon and the recorder's thread. */

import type { FailedAnswer } from '../node/transcript/thread/threadMessages.ts';
import type { Logger } from '../session/ports.ts';

/** Data for starting the thread. */
export interface RecorderStart {
	/** The folder with the archive and the recorder's settings. */
	folder: string;
	/** The user's home folder. */
	home: string;
	platform: NodeJS.Platform;
}

/** A call of one of the thread's methods. */
export interface RecorderCall {
	id: number;
	method: string;
	params: object;
}

/** A message of the thread: the result or error of a call, a line for the log, or that recording starts or stops. */
export type RecorderReply =
	| { t: 'result'; id: number; result: unknown }
	| { t: 'failure'; id: number; failure: FailedAnswer }
	| { t: 'log'; level: keyof Logger; message: string }
	| { t: 'recording'; recording: boolean };
