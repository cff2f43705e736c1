import { generateText } from 'ai';
import { expect, it } from 'vitest';
import { createLanguageModel } from '../../../server/node/models/languageModel.ts';
import { json, loopback } from './loopback.ts';
import { wires } from './wires.ts';

it('a request to Bedrock is signed with the AWS keys, and never contains the secret key', async () => {
	const server = await loopback((response) => json(response, wires.bedrock?.whole('hello', 'stop')));
	const awsKeys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'very-secret', sessionToken: 'session' };
	const model = createLanguageModel(
		{ provider: 'bedrock', model: 'm', region: 'eu-west-1' },
		{ baseURL: server.origin, awsKeys, usesGoogleAccount: false },
		{},
	);
	expect((await generateText({ model, prompt: 'p' })).text).toBe('hello');
	const [firstRequest] = server.requests;
	expect(firstRequest?.headers.authorization).toMatch(
		/^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=.*, Signature=[0-9a-f]{64}$/,
	);
	expect(firstRequest?.headers['x-amz-security-token']).toBe('session');
	expect(JSON.stringify(firstRequest)).not.toContain('very-secret');
});
