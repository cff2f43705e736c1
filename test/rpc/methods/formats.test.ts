import { describe, expect, it } from 'vitest';
import { sessionAppend, sessionOpen } from '../../../server/protocol/session.ts';
import { contextValidate, type ValidateParams } from '../../../server/protocol/validate.ts';
import { sharedApp } from '../../support/app.ts';

const app = sharedApp();

const validate = (params: ValidateParams) => app.ask(contextValidate, params);

const toolUse = {
	role: 'assistant',
	content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }],
};

describe('context/validate', () => {
	it('context/validate names every broken rule with the index of the message', async () => {
		const messages = [{ role: 'user', content: 'Go.' }, toolUse, { role: 'user', content: 'And?' }];
		const { valid, problems, format } = await validate({ messages, provider: 'claude' });
		expect({ valid, format }).toEqual({ valid: false, format: 'anthropic' });
		expect(problems).toEqual([{ index: 1, rule: 'pairs', message: expect.stringContaining('toolu_1') }]);
	});

	it('context/validate accepts messages that follow the rules', async () => {
		const messages = [{ role: 'user', parts: [{ text: 'Go.' }] }];
		expect(await validate({ messages, provider: 'google' })).toEqual({
			valid: true,
			problems: [],
			format: 'gemini',
		});
	});

	it.each(['mistral', 'codestral'])(
		'context/validate applies the rules of %s to Chat Completions',
		async (provider) => {
			const call = { id: 'call_longer', type: 'function', function: { name: 'f', arguments: '{}' } };
			const messages = [
				{ role: 'user', content: 'Go.' },
				{ role: 'assistant', content: null, tool_calls: [call] },
				{ role: 'tool', tool_call_id: 'call_longer', content: 'x' },
			];
			const { problems } = await validate({ messages, provider });
			expect(problems.map(({ rule }) => rule)).toEqual(['call-ids']);
			expect((await validate({ messages, provider: 'openai' })).valid).toBe(true);
		},
	);

	it('context/validate requires either a session or messages', async () => {
		await expect(validate({})).rejects.toMatchObject({
			code: -32602,
			message: expect.stringContaining('sessionId'),
		});
		await expect(validate({ sessionId: 's', messages: [] })).rejects.toMatchObject({ code: -32602 });
		await expect(validate({ messages: [], format: 'smoke' as never })).rejects.toMatchObject({
			code: -32602,
		});
		await expect(validate({ sessionId: 'unknown' })).rejects.toMatchObject({ code: -31999 });
	});

	it('context/validate finds a repaired session valid, and reports the repairs', async () => {
		await app.ask(sessionOpen, { sessionId: 'broken', provider: 'anthropic' });
		await app.ask(sessionAppend, {
			sessionId: 'broken',
			format: 'anthropic',
			messages: [
				{ role: 'assistant', content: '' },
				toolUse,
				{ role: 'user', content: 'And?' },
				{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_9', content: 'late' }] },
			],
		});
		for (const provider of ['anthropic', 'openai', 'gemini', 'mistral', 'deepseek', 'neurolink']) {
			const { valid, problems, repairs } = await validate({ sessionId: 'broken', provider });
			expect([provider, valid, problems]).toEqual([provider, true, []]);
			expect(repairs).toEqual({ orphanedCallsFixed: 1, orphanedResultsFixed: 1 });
		}
	});
});
