import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createAskProvider } from '../../../server/node/models/askProvider.ts';
import type { ChainLink } from '../../../server/protocol/chain.ts';
import { json, loopback } from './loopback.ts';
import { wires } from './wires.ts';

const question = { sessionId: 's', system: 's', prompt: 'p', maxTokens: 9 };
const { signal } = new AbortController();
const path = '/v1beta1/projects/p/locations/global/publishers/google';

function serviceAccount(tokenEndpoint: string): string {
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		publicKeyEncoding: { type: 'spki', format: 'pem' },
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
	});
	return JSON.stringify({
		type: 'service_account',
		project_id: 'p',
		private_key_id: 'k',
		private_key: privateKey,
		client_email: 'summaries@p.iam.gserviceaccount.com',
		client_id: '1',
		token_uri: tokenEndpoint,
	});
}

async function vertexWith(accountOf: (origin: string) => string) {
	const server = await loopback((response, { url }) => {
		if (url === '/token')
			json(response, { access_token: 'token-of-the-account', expires_in: 3600, token_type: 'Bearer' });
		else json(response, wires.vertex?.whole('hello', 'stop'));
	});
	const folder = await mkdtemp(join(tmpdir(), 'contextd-account-'));
	onTestFinished(() => rm(folder, { recursive: true }));
	const file = join(folder, 'account.json');
	await writeFile(file, accountOf(server.origin));
	const link: ChainLink = {
		provider: 'vertex',
		model: 'gemini-2.5-flash',
		baseURL: `${server.origin}${path}`,
		apiKey: { env: 'GOOGLE_APPLICATION_CREDENTIALS' },
		stream: false,
	};
	return { server, ask: createAskProvider({ GOOGLE_APPLICATION_CREDENTIALS: file }, Date.now), link };
}

it('Vertex receives a token of the service account, from the endpoint in its file', async () => {
	const { server, ask, link } = await vertexWith((origin) => serviceAccount(`${origin}/token`));
	expect((await ask(link, question, signal)).text).toBe('hello');
	const [token, call] = server.requests;
	expect(token).toMatchObject({ method: 'POST', url: '/token' });
	expect(decodeURIComponent(token?.body ?? '')).toMatch(
		/grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer/,
	);
	expect(call?.headers.authorization).toBe('Bearer token-of-the-account');
	expect(call?.headers['x-goog-api-key']).toBeUndefined();
});

it('Vertex receives a token of a signed-in user', async () => {
	const { server, ask, link } = await vertexWith((origin) =>
		JSON.stringify({
			type: 'authorized_user',
			client_id: 'c',
			client_secret: 'd',
			refresh_token: 'r',
			token_uri: `${origin}/token`,
		}),
	);
	expect((await ask(link, question, signal)).text).toBe('hello');
	expect(server.requests[1]?.headers.authorization).toBe('Bearer token-of-the-account');
});

it('a failure to get a token shows nothing of the account', async () => {
	const { ask, link } = await vertexWith((origin) => serviceAccount(`${origin}/nowhere`));
	await expect(ask(link, question, signal)).rejects.toMatchObject({ name: 'CallFailure' });
	await ask(link, question, signal).catch((error: Error) => {
		expect(error.message).not.toContain('PRIVATE KEY');
	});
});
