import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isFields } from '../../../core/shape.ts';
import { openTranscript, type TranscriptOnDisk } from '../openTranscript.ts';
import { failed, type ThreadAnswer, type ThreadRequest } from './talk.ts';

/** Whether this is a thread that was started to read a transcript. It then does so until it is ended. */
export function readForDaemon(): boolean {
	if (isMainThread || parentPort === null || !isThreadOrder(workerData)) return false;
	void serve(workerData.transcript, parentPort);
	return true;
}

function isThreadOrder(value: unknown): value is ThreadRequest {
	return isFields(value) && typeof value.transcript === 'string';
}

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
