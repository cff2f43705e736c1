/** Entry point of the daemon's thread that records transcripts and answers calls about recordings. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../core/failure.ts';
import { createFailedAnswer } from '../../node/transcript/thread/threadMessages.ts';
import type { Logger } from '../../session/ports.ts';
import type { RecorderCall, RecorderReply, RecorderStart } from '../threadMessages.ts';
import { RecorderService } from './recorderService.ts';

function serve(startData: RecorderStart, port: MessagePort): void {
	const send = (reply: RecorderReply): void => port.postMessage(reply);
	const logAt = (level: keyof Logger) => (message: string) => send({ t: 'log', level, message });
	const log = { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
	const service = new RecorderService(startData, log, (recording) => send({ t: 'recording', recording }));
	port.on('message', ({ id, method, params }: RecorderCall) => {
		if (method === 'stop') {
			// The thread ends once its port is closed.
			void service.stop().finally(() => port.close());
			return;
		}
		answerCall(service, method, params).then(
			(result) => send({ t: 'result', id, result }),
			(error) => send({ t: 'failure', id, failure: createFailedAnswer(error) }),
		);
	});
	service.start();
}

async function answerCall(service: RecorderService, name: string, params: object): Promise<unknown> {
	const method = Object.hasOwn(service.methods, name) ? service.methods[name] : undefined;
	if (method === undefined) throw new Failure('InvalidParams', `the recorder has no method ${name}`);
	return method(params as never);
}

if (parentPort === null) throw new TypeError('this file must run as a thread of the daemon');
serve(workerData as RecorderStart, parentPort);
