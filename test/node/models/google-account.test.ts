import { expect, it, vi } from 'vitest';
import { createAskProvider } from '../../../server/node/models/askProvider.ts';
import { createTokenSource } from '../../../server/node/models/googleToken.ts';

vi.mock('../../../server/node/models/googleToken.ts', async (original) => ({
	...(await original<typeof import('../../../server/node/models/googleToken.ts')>()),
	createTokenSource: vi.fn(() => () => Promise.reject(new Error('no token'))),
}));

const question = { sessionId: 's', system: 's', prompt: 'p', maxTokens: 9 };
const link = { provider: 'vertex', model: 'm', project: 'p', location: 'global', maxRetries: 0 } as const;

it.each([
	[{ GOOGLE_APPLICATION_CREDENTIALS: '/home/ada/account.json' }, '/home/ada/account.json'],
	[{ GOOGLE_APPLICATION_CREDENTIALS: '' }, undefined],
	[{}, undefined],
])(
	"a client's Google account is the one that its own environment names: %j",
	async (environment, account) => {
		const ask = createAskProvider(environment, Date.now);
		await expect(ask(link, question, new AbortController().signal)).rejects.toThrow();
		expect(vi.mocked(createTokenSource)).toHaveBeenLastCalledWith(account);
	},
);
