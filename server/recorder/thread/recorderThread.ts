/** The thread of the daemon that records transcripts and answers from the archive. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../core/failure.ts';
import { failedAnswer, type ThreadAnswer } from '../../node/transcript/thread/talk.ts';
import type { Logger } from '../../session/ports.ts';
import type { RecorderCall, RecorderNews, RecorderStart } from '../talk.ts';
import { Desk } from './desk.ts';

function serve(start: RecorderStart, port: MessagePort): void {
	const send = (news: RecorderNews): void => port.postMessage(news);
	const logAt = (level: keyof Logger) => (message: string) => send({ t: 'log', level, message });
	const log = { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
	const desk = new Desk(start, log, (recording) => send({ t: 'recording', recording }));
	port.on('message', ({ id, method, params }: RecorderCall) => {
		if (method === 'stop') {
			// Nothing keeps the thread alive once the port is closed.
			void desk.stop().finally(() => port.close());
			return;
		}
		answer(desk, method, params).then(
			(result) => send({ t: 'result', id, result }),
			(error) =>
				send({ t: 'failure', id, failure: failedAnswer(error) as Extract<ThreadAnswer, { t: 'failed' }> }),
		);
	});
	desk.start();
}

async function answer(desk: Desk, name: string, params: object): Promise<unknown> {
	const method = Object.hasOwn(desk.methods, name) ? desk.methods[name] : undefined;
	if (method === undefined) throw new Failure('InvalidParams', `the recorder has no method ${name}`);
	return method(params as never);
}

if (parentPort === null) throw new TypeError('this file must run as a thread of the daemon');
serve(workerData as RecorderStart, parentPort);
