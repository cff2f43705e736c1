/** Messages between the daemon and the recorder's thread. */

import type { ThreadAnswer } from '../node/transcript/thread/talk.ts';
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

/** The result of a call or why it failed, a line for the log, or whether sessions are recorded from now on. */
export type RecorderReply =
	| { t: 'result'; id: number; result: unknown }
	| { t: 'failure'; id: number; failure: Extract<ThreadAnswer, { t: 'failed' }> }
	| { t: 'log'; level: keyof Logger; message: string }
	| { t: 'recording'; recording: boolean };
