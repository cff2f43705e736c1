import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CallFailure } from '../../server/core/ask/callFailure.ts';
import { createAskProvider } from '../../server/node/models/askProvider.ts';
import { contextCompact } from '../../server/protocol/compact.ts';
import type { AskModel } from '../../server/session/ports.ts';
import { json, loopback } from '../node/models/loopback.ts';
import { type AppSetup, freshFolder, startingApps } from '../support/app.ts';
import { begin, conversation } from '../support/talk.ts';

const key = 'marker-key-0123456789';
const { start, stop } = startingApps();

/** A provider that rejects every key and quotes it. */
const link = { provider: 'openai-compatible', model: 'm', baseURL: '', maxRetries: 0 };

/** Returns the options with the address of a running server. */
async function withServer(options: unknown): Promise<unknown> {
	const server = await loopback((response, { headers }) => {
		const message = `not for ${headers.authorization} and ${headers['x-key']}`;
		json(response, { error: { message, type: 'x', code: null } }, 401);
	});
	return JSON.parse(JSON.stringify(options).replace('"baseURL":""', `"baseURL":"${server.origin}/v1"`));
}

function everyFile(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((name) => join(folder, name))
		.filter((file) => statSync(file).isFile())
		.map((file) => readFileSync(file, 'latin1'));
}

/** Starts a daemon with these options, compacts a session, and returns everything that the daemon wrote. */
async function everythingOf(options: unknown, setup: AppSetup = {}): Promise<string> {
	const initializationOptions = await withServer(options);
	const home = freshFolder();
	const app = await start({
		home,
		askProvider: createAskProvider({ OTHER: key }, Date.now),
		...setup,
		initialize: { initializationOptions, ...setup.initialize },
	});
	await begin(app, 's', conversation(40, 120));
	const result = await app.ask(contextCompact, { sessionId: 's', targetTokens: 1500 });
	expect(result?.compacted).toBe(true);
	await app.ask(contextCompact, { sessionId: 's', config: { summarizationProvider: 'openai-compatible' } });
	app.notify('workspace/didChangeConfiguration', { settings: { contextd: initializationOptions } });
	const changed = await app.ask(contextCompact, { sessionId: 's', targetTokens: 700 });
	const shown = JSON.stringify([app.inbox, result, changed]);
	await stop();
	return [shown, app.errors(), ...everyFile(home)].join('\n');
}

const debug = { logLevel: 'debug', estimator: 'heuristic' };

it.each([
	['a good entry', { ...debug, summarization: { chain: [{ ...link, apiKey: key }] } }],
	[
		'an entry of the provider that compacts by itself',
		{ ...debug, summarization: { chain: [{ ...link, provider: 'openai-compact', apiKey: key }] } },
	],
	['a key in a header', { ...debug, summarization: { chain: [{ ...link, headers: { 'x-key': key } }] } }],
	['a key in a variable', { ...debug, summarization: { chain: [{ ...link, apiKey: { env: 'OTHER' } }] } }],
	['a bad entry', { ...debug, summarization: { chain: [{ ...link, apiKey: key, timeoutMs: 'x' }] } }],
	['a key of a wrong kind', { ...debug, summarization: { chain: [{ ...link, apiKey: { value: key } }] } }],
	[
		'a key in an address',
		{ ...debug, summarization: { chain: [{ ...link, baseURL: `https://u:${key}@x.y` }] } },
	],
	['a misspelt member', { ...debug, summarization: { chain: [{ ...link, apikey: key }] } }],
	['a provider that is none', { ...debug, summarization: { chain: [{ provider: key }] } }],
	['a chain that is a text', { ...debug, summarization: { chain: key } }],
	['a section that is a text', { ...debug, summarization: key }],
	['settings that are a text', key],
	['an unknown setting', { ...debug, apiKey: key, summarization: { apiKey: key } }],
])('no log, journal, answer or echo shows a key: %s', async (_, options) => {
	expect(await everythingOf(options)).not.toContain(key);
});

it('a provider’s message about its key is shown without the key', async () => {
	const told = await everythingOf({ ...debug, summarization: { chain: [{ ...link, apiKey: key }] } });
	expect(told).toContain('401: not for Bearer [key]');
});

it('keys from environment variables are never shown', async () => {
	const environment = {
		CONTEXTD_SUMMARIZATION_PROVIDER: 'openai',
		CONTEXTD_SUMMARIZATION_MODEL: 'm',
		OPENAI_API_KEY: key,
	};
	const askProvider: AskModel = () =>
		Promise.reject(new CallFailure('nobody is asked', { retryable: false }));
	expect(await everythingOf(debug, { environment, askProvider })).not.toContain(key);
});
