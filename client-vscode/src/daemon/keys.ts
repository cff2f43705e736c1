/**
 * Stores the API keys of providers that write summaries. The editor's secret storage keeps these keys, and the daemon
 * gets them as environment variables. Settings only name the variables, so that traces of messages contain no key.
 */

import type { SecretStorage } from 'vscode';

/** The members of an entry of `contextd.summarization.chain` that say which API key the entry needs. */
export interface KeyedChainEntry {
	provider: string;
	baseURL?: string;
	apiKey?: unknown;
}

/** API keys by scope. A scope is a provider, and an origin if that is not the provider's own. */
export type KeysByScope = ReadonlyMap<string, string>;

/** The editor's secret storage. */
type SecretStore = Pick<SecretStorage, 'get' | 'store' | 'delete'>;

/** The editor's storage for values that are not secret; it lists the scopes that have a key. */
interface PlainValueStore {
	get<T>(name: string, otherwise: T): T;
	update(name: string, value: unknown): Thenable<void>;
}

const scopeListName = 'contextd.keyPlaces';

/** Providers that need no key. */
const keylessProviders: ReadonlySet<string> = new Set(['client', 'extractive']);

/** Returns the entries of a chain that can have a stored key; an empty list if the setting is not a chain. */
export function filterKeyedEntries(chain: unknown): KeyedChainEntry[] {
	if (!Array.isArray(chain)) return [];
	return chain.filter(
		(link: unknown): link is KeyedChainEntry =>
			typeof link === 'object' &&
			link !== null &&
			'provider' in link &&
			typeof link.provider === 'string' &&
			!keylessProviders.has(link.provider),
	);
}

/**
 * Returns the scope of an entry's key: a provider, and an origin if that is not the provider's own. A key is never sent to
 * another origin.
 */
export function getKeyScope({ provider, baseURL }: KeyedChainEntry): string {
	if (baseURL === undefined) return provider;
	return `${provider} at ${URL.canParse(baseURL) ? new URL(baseURL).origin : baseURL}`;
}

function getSecretName(scope: string): string {
	return `contextd.key ${scope}`;
}

/** Returns the name of the environment variable that passes the key of a scope to the daemon. */
export function getKeyVariable(scope: string): string {
	return `CONTEXTD_KEY_${Buffer.from(scope).toString('hex').toUpperCase()}`;
}

/** Loads all stored keys. */
export async function loadKeys(secrets: SecretStore, names: PlainValueStore): Promise<KeysByScope> {
	const keys = new Map<string, string>();
	for (const scope of names.get<string[]>(scopeListName, [])) {
		const key = await secrets.get(getSecretName(scope));
		if (key) keys.set(scope, key);
	}
	return keys;
}

/** Stores the key of a scope; an empty key deletes the stored key. */
export async function storeKey(
	secrets: SecretStore,
	names: PlainValueStore,
	scope: string,
	key: string,
): Promise<void> {
	const others = names.get<string[]>(scopeListName, []).filter((other) => other !== scope);
	if (key === '') await secrets.delete(getSecretName(scope));
	else await secrets.store(getSecretName(scope), key);
	await names.update(scopeListName, key === '' ? others : [...others, scope]);
}

/** Returns the environment variables that pass the keys to the daemon. */
export function toKeyVariables(keys: KeysByScope): Record<string, string> {
	return Object.fromEntries([...keys].map(([scope, key]) => [getKeyVariable(scope), key]));
}

/** Returns a chain in which entries without a key refer to the variable of their stored key. */
export function addKeyVariables(chain: unknown, keys: KeysByScope): unknown {
	if (!Array.isArray(chain)) return chain;
	const keyedEntries = new Set<unknown>(filterKeyedEntries(chain));
	return chain.map((link: KeyedChainEntry) => {
		if (!keyedEntries.has(link) || link.apiKey !== undefined || !keys.has(getKeyScope(link))) return link;
		return { ...link, apiKey: { env: getKeyVariable(getKeyScope(link)) } };
	});
}
