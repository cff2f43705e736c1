import { describe, expect, it } from 'vitest';
import { findProviderAccess, type RemoteProvider } from '../../../server/node/models/access.ts';
import { createAskProvider } from '../../../server/node/models/askProvider.ts';
import type { ChainLink } from '../../../server/protocol/chain.ts';
import { json, loopback } from './loopback.ts';
import { wires } from './wires.ts';

const environment = {
	ANTHROPIC_API_KEY: 'env-anthropic',
	OPENAI_API_KEY: 'env-openai',
	AZURE_API_KEY: 'env-azure',
	AZURE_RESOURCE_NAME: 'mine',
	GOOGLE_GENERATIVE_AI_API_KEY: 'env-google',
	GOOGLE_VERTEX_API_KEY: 'env-vertex',
	MISTRAL_API_KEY: 'env-mistral',
	AWS_BEARER_TOKEN_BEDROCK: 'env-bedrock',
	AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
	AWS_SECRET_ACCESS_KEY: 'env-secret-access',
	AWS_REGION: 'eu-west-1',
	ANTHROPIC_BASE_URL: 'https://elsewhere.example/v1',
	OPENAI_BASE_URL: 'https://elsewhere.example/v1',
	AWS_ENDPOINT_URL: 'https://elsewhere.example',
	OTHER_KEY: 'env-other',
};

type Link = ChainLink & { provider: RemoteProvider };

/** Providers with the key of their usual variable, and their own host. */
const providers: [RemoteProvider, key: string, host: string][] = [
	['anthropic', 'env-anthropic', 'api.anthropic.com'],
	['openai', 'env-openai', 'api.openai.com'],
	['openai-compact', 'env-openai', 'api.openai.com'],
	['azure', 'env-azure', 'mine.openai.azure.com'],
	['google', 'env-google', 'generativelanguage.googleapis.com'],
	['vertex', 'env-vertex', 'aiplatform.googleapis.com'],
	['mistral', 'env-mistral', 'api.mistral.ai'],
	['bedrock', 'env-bedrock', 'bedrock-runtime.eu-west-1.amazonaws.com'],
];

describe.each(providers)('%s', (provider, key, host) => {
	const link: Link = { provider, model: 'm' };

	it("accessOf uses the provider's usual key at its own address, whatever other addresses variables name", () => {
		const { baseURL, apiKey } = findProviderAccess(link, environment);
		expect(apiKey).toBe(key);
		expect(new URL(baseURL).host).toBe(host);
	});

	it('accessOf uses no key of a variable at another address', () => {
		const baseURL = 'https://elsewhere.example/v1';
		const access = findProviderAccess({ ...link, baseURL }, environment);
		expect(access).toEqual({ baseURL, usesGoogleAccount: false });
	});

	it('accessOf uses the key that the entry names at any address', () => {
		const baseURL = 'https://elsewhere.example/v1';
		expect(findProviderAccess({ ...link, baseURL, apiKey: { env: 'OTHER_KEY' } }, environment).apiKey).toBe(
			'env-other',
		);
		expect(findProviderAccess({ ...link, baseURL, apiKey: 'own' }, environment).apiKey).toBe('own');
	});

	it('accessOf fails if the entry names an unset variable, and uses no other key', () => {
		expect(() => findProviderAccess({ ...link, apiKey: { env: 'NOT_SET' } }, environment)).toThrow('NOT_SET');
	});
});

describe('a key out of a variable', () => {
	it.each([
		['azure', 'https://other.openai.azure.com/openai'],
		['azure', 'https://mine.openai.azure.com.evil.example/openai'],
		['bedrock', 'https://bucket.s3.amazonaws.com'],
		['bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com.evil.example'],
		['vertex', 'https://aiplatform.googleapis.com.evil.example/v1'],
		['vertex', 'https://storage.googleapis.com/v1'],
		['openai', 'https://api.openai.com:8443/v1'],
		['openai', 'http://127.0.0.1:4000/v1'],
	] as const)('the key of %s from a variable is not sent to %s', (provider, baseURL) => {
		const access = findProviderAccess({ provider, model: 'm', baseURL }, environment);
		expect(access).toEqual({ baseURL, usesGoogleAccount: false });
	});

	it('accessOf returns the AWS keys if there is no bearer token', () => {
		const { AWS_BEARER_TOKEN_BEDROCK: _, ...rest } = environment;
		const { awsKeys } = findProviderAccess({ provider: 'bedrock', model: 'm' }, rest);
		expect(awsKeys).toEqual({ accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'env-secret-access' });
	});

	it("accessOf fails without a key for the provider's own address", () => {
		expect(() => findProviderAccess({ provider: 'mistral', model: 'm' }, {})).toThrow('MISTRAL_API_KEY');
	});
});

it.each(Object.entries(wires))('%s receives no key of any variable at another address', async (_, wire) => {
	const before = { ...process.env };
	Object.assign(process.env, environment);
	try {
		const server = await loopback((response) => json(response, wire.whole('hello', 'stop')));
		const { apiKey: _, ...link } = wire.link;
		const baseURL = `${server.origin}${wire.path}`;
		const ask = createAskProvider(process.env, Date.now);
		const question = { sessionId: 's', system: 's', prompt: 'p', maxTokens: 9 };
		await ask({ ...link, baseURL, stream: false }, question, new AbortController().signal);
		const sent = JSON.stringify(server.requests);
		for (const value of Object.values(environment)) {
			if (value.startsWith('env-') || value.startsWith('AKIA')) expect(sent).not.toContain(value);
		}
		for (const name of ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])
			expect(server.requests[0]?.headers[name]).toBeUndefined();
	} finally {
		process.env = before;
	}
});
