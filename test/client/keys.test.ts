import { describe, expect, it } from 'vitest';
import {
	addKeyVariables,
	filterKeyedEntries,
	getKeyScope,
	loadKeys,
	storeKey,
	toKeyVariables,
} from '../../client-vscode/src/daemon/keys.ts';
import { checkLayer } from '../../server/core/settings/layers.ts';

const key = 'marker-key-0123456789';

/** Returns the editor's storages for secrets and for other values, in memory. `kept` are the stored secrets. */
function keeper() {
	const secrets = new Map<string, string>();
	const names = new Map<string, unknown>();
	return {
		secrets: {
			get: async (name: string) => secrets.get(name),
			store: async (name: string, value: string) => void secrets.set(name, value),
			delete: async (name: string) => void secrets.delete(name),
		},
		names: {
			get: <T>(name: string, otherwise: T) => (names.get(name) as T | undefined) ?? otherwise,
			update: async (name: string, value: unknown) => void names.set(name, value),
		},
		shown: () => JSON.stringify([...names]),
		kept: secrets,
	};
}

describe('keys of providers', () => {
	const chain = [
		{ provider: 'anthropic', model: 'claude-haiku-4-5' },
		{ provider: 'anthropic', model: 'm', baseURL: 'https://gateway.example/v1' },
		{ provider: 'openai', model: 'm', apiKey: { env: 'MINE' } },
		{ provider: 'extractive' },
	];

	it('a key reaches the daemon only in a variable, which the settings name', async () => {
		const { secrets, names, shown } = keeper();
		await storeKey(secrets, names, 'anthropic', key);
		const keys = await loadKeys(secrets, names);
		const sent = addKeyVariables(chain, keys);
		expect(sent).toEqual([
			{ ...chain[0], apiKey: { env: expect.stringMatching(/^CONTEXTD_KEY_[0-9A-F]+$/) } },
			...chain.slice(1),
		]);
		expect(checkLayer({ summarization: { chain: sent } }, 'sent').problems).toEqual([]);
		const [{ apiKey }] = sent as [{ apiKey: { env: string } }];
		expect(toKeyVariables(keys)).toEqual({ [apiKey.env]: key });
		expect(JSON.stringify(sent) + shown()).not.toContain(key);
	});

	it('a key is used only for the address for which it was stored', async () => {
		const { secrets, names } = keeper();
		const gateway = getKeyScope({ provider: 'anthropic', baseURL: 'https://gateway.example/v1' });
		await storeKey(secrets, names, gateway, key);
		const sent = addKeyVariables(chain, await loadKeys(secrets, names)) as { apiKey?: unknown }[];
		expect(sent.map(({ apiKey }) => apiKey !== undefined)).toEqual([false, true, true, false]);
		const elsewhere = [{ provider: 'anthropic', model: 'm', baseURL: 'https://elsewhere.example/v1' }];
		expect(addKeyVariables(elsewhere, await loadKeys(secrets, names))).toEqual(elsewhere);
	});

	it('an empty key is deleted', async () => {
		const { secrets, names, kept } = keeper();
		await storeKey(secrets, names, 'mistral', key);
		await storeKey(secrets, names, 'mistral', '');
		expect(kept.size).toBe(0);
		expect(await loadKeys(secrets, names)).toEqual(new Map());
	});

	it('keys are requested only for entries that need one', () => {
		expect(filterKeyedEntries(chain).map(({ provider }) => provider)).toEqual([
			'anthropic',
			'anthropic',
			'openai',
		]);
		expect(filterKeyedEntries('no chain')).toEqual([]);
	});
});
