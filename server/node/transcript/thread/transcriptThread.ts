/** A thread that reads one transcript for the daemon, until it is ended. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openTranscript, type TranscriptOnDisk } from '../openTranscript.ts';
import { failed, type ThreadAnswer, type ThreadRequest } from './talk.ts';

async function serve(path: string, port: MessagePort): Promise<void> {
	const say = (answer: ThreadAnswer): void => port.postMessage(answer);
	try {
		const transcript = await openTranscript(path);
		const { agent, size, newestModel, watched } = transcript;
		say({ t: 'opened', agent, path: transcript.path, size, newestModel, watched: watched() });
		answerAll(transcript, port, say);
	} catch (error) {
		say(failed(error));
	}
}

/** Gives a piece whenever one is asked for. The one after it is read meanwhile, and no more. */
function answerAll(
	transcript: TranscriptOnDisk,
	port: MessagePort,
	say: (answer: ThreadAnswer) => void,
): void {
	const read = (): Promise<ThreadAnswer> =>
		transcript.next().then((batch) => ({ t: 'piece', batch }), failed);
	let ahead: Promise<ThreadAnswer> | undefined;
	let turn: Promise<void> = Promise.resolve();
	const give = async (): Promise<void> => {
		const answer = await (ahead ?? read());
		say(answer);
		// At the end nothing is read ahead: whoever asks again wants to know what came since.
		ahead = answer.t === 'piece' && answer.batch !== undefined ? read() : undefined;
	};
	port.on('message', () => {
		turn = turn.then(give);
	});
}

if (parentPort === null) throw new TypeError('this file is run as a thread of the daemon');
void serve((workerData as ThreadRequest).transcript, parentPort);
