import { expect, it } from 'vitest';
import type { RequestMethod } from '../../server/rpc/call/define.ts';
import { echo, hang, initialized } from './conversation.ts';

const reporting: RequestMethod = {
	...hang,
	handle(params, context) {
		context.progress.begin('Working');
		return hang.handle(params, context);
	},
};
const cancel = 'window/workDoneProgress/cancel';

it.each(['a', 0])('window/workDoneProgress/cancel of the token %j cancels its request', async (token) => {
	const talk = await initialized({ requests: [reporting] });
	talk.send({ id: 1, method: 'context/hang', params: { workDoneToken: token } });
	expect(await talk.next()).toMatchObject({
		method: '$/progress',
		params: { token, value: { kind: 'begin', title: 'Working', cancellable: true } },
	});
	talk.send({ method: cancel, params: { token } });
	expect(await talk.next()).toMatchObject({ params: { token, value: { kind: 'end' } } });
	expect(await talk.next()).toMatchObject({ id: 1, error: { code: -32800 } });
});

it('window/workDoneProgress/cancel cancels the request of a command', async () => {
	const talk = await initialized({ requests: [hang] });
	const params = { command: 'contextd.context.hang', arguments: [{}], workDoneToken: 'b' };
	talk.send(
		{ id: 1, method: 'workspace/executeCommand', params },
		{ method: cancel, params: { token: 'b' } },
	);
	expect(await talk.next()).toMatchObject({ id: 1, error: { code: -32800 } });
});

it('window/workDoneProgress/cancel leaves requests with another token, or without one, alone', async () => {
	const talk = await initialized({ requests: [hang, echo] });
	talk.send(
		{ id: 1, method: 'context/hang', params: { workDoneToken: '1' } },
		{ id: 2, method: 'context/hang' },
		{ method: cancel, params: { token: 1 } },
		{ method: cancel, params: {} },
	);
	expect(await talk.ask('context/echo')).toMatchObject({ result: {} });
	expect(talk.log.join('\n')).toContain(`${cancel} ignored: params.token`);
	talk.send({ method: cancel, params: { token: '1' } });
	expect(await talk.next()).toMatchObject({ id: 1, error: { code: -32800 } });
});
