/** Entry point of a thread that reads one transcript for the daemon until the thread is terminated. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openTranscript, type TranscriptOnDisk } from '../openTranscript.ts';
import { createFailedAnswer, type ThreadAnswer, type ThreadStartData } from './threadMessages.ts';

async function serve(path: string, port: MessagePort): Promise<void> {
	const send = (answer: ThreadAnswer): void => port.postMessage(answer);
	try {
		const transcript = await openTranscript(path);
		const { agent, size, newestModel, listWatchedPaths } = transcript;
		send({ t: 'opened', agent, path: transcript.path, size, newestModel, watched: listWatchedPaths() });
		answerAll(transcript, port, send);
	} catch (error) {
		send(createFailedAnswer(error));
	}
}

/** Sends a batch for each request, and reads one batch in advance. */
function answerAll(
	transcript: TranscriptOnDisk,
	port: MessagePort,
	send: (answer: ThreadAnswer) => void,
): void {
	const read = (): Promise<ThreadAnswer> =>
		transcript.readNext().then((batch) => ({ t: 'piece', batch }), createFailedAnswer);
	let prefetched: Promise<ThreadAnswer> | undefined;
	let turn: Promise<void> = Promise.resolve();
	const answerOne = async (): Promise<void> => {
		const answer = await (prefetched ?? read());
		send(answer);
		// Nothing is prefetched at the end of the file: the next request must see what was appended in the meantime.
		prefetched = answer.t === 'piece' && answer.batch !== undefined ? read() : undefined;
	};
	port.on('message', () => {
		turn = turn.then(answerOne);
	});
}

if (parentPort === null) throw new TypeError('this file must run as a thread of the daemon');
void serve((workerData as ThreadStartData).transcript, parentPort);
