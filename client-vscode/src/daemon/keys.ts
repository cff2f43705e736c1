/**
 * Keys of the providers that write summaries. They are stored in the editor's secret storage and passed to the daemon
 * as environment variables. Its settings only name the variables, so that traces of messages contain no key.
 */

/** The members of an entry of `contextd.summarization.chain` that concern its key. */
export interface KeyedLink {
	provider: string;
	baseURL?: string;
	apiKey?: unknown;
}

/** Keys by what each is for: a provider, and an origin if it is not the provider's own. */
export type KeysByPlace = ReadonlyMap<string, string>;

/** The editor's storage of secrets. */
export interface SecretStore {
	get(name: string): Thenable<string | undefined>;
	store(name: string, value: string): Thenable<void>;
	delete(name: string): Thenable<void>;
}

/** The editor's storage of names. */
export interface NameStore {
	get<T>(name: string, otherwise: T): T;
	update(name: string, value: unknown): Thenable<void>;
}

const listName = 'contextd.keyPlaces';

/** Providers that need no key. */
const keyless: ReadonlySet<string> = new Set(['client', 'extractive']);

/** Returns the entries of a chain that can have a stored key; none if the setting is not a chain. */
export function linksWithKeys(chain: unknown): KeyedLink[] {
	if (!Array.isArray(chain)) return [];
	return chain.filter(
		(link: unknown): link is KeyedLink =>
			typeof link === 'object' &&
			link !== null &&
			'provider' in link &&
			typeof link.provider === 'string' &&
			!keyless.has(link.provider),
	);
}

/**
 * Returns what a key is for: a provider, and an origin if it is not the provider's own. A key is sent to no other
 * origin.
 */
export function keyScopeOf({ provider, baseURL }: KeyedLink): string {
	if (baseURL === undefined) return provider;
	return `${provider} at ${URL.canParse(baseURL) ? new URL(baseURL).origin : baseURL}`;
}

function secretName(place: string): string {
	return `contextd.key ${place}`;
}

/** Returns the variable of the daemon's process for the key of a place. */
export function keyVariableOf(place: string): string {
	return `CONTEXTD_KEY_${Buffer.from(place).toString('hex').toUpperCase()}`;
}

/** Loads all stored keys. */
export async function loadKeys(secrets: SecretStore, names: NameStore): Promise<KeysByPlace> {
	const keys = new Map<string, string>();
	for (const place of names.get<string[]>(listName, [])) {
		const key = await secrets.get(secretName(place));
		if (key) keys.set(place, key);
	}
	return keys;
}

/** Stores a key; an empty one is deleted. */
export async function storeKey(
	secrets: SecretStore,
	names: NameStore,
	place: string,
	key: string,
): Promise<void> {
	const others = names.get<string[]>(listName, []).filter((other) => other !== place);
	if (key === '') await secrets.delete(secretName(place));
	else await secrets.store(secretName(place), key);
	await names.update(listName, key === '' ? others : [...others, place]);
}

/** Returns the environment variables for the daemon. */
export function keyVariables(keys: KeysByPlace): Record<string, string> {
	return Object.fromEntries([...keys].map(([place, key]) => [keyVariableOf(place), key]));
}

/** Returns a chain in which entries without a key refer to the variable of their stored key. */
export function withKeyVariables(chain: unknown, keys: KeysByPlace): unknown {
	if (!Array.isArray(chain)) return chain;
	const keyed = new Set<unknown>(linksWithKeys(chain));
	return chain.map((link: KeyedLink) => {
		if (!keyed.has(link) || link.apiKey !== undefined || !keys.has(keyScopeOf(link))) return link;
		return { ...link, apiKey: { env: keyVariableOf(keyScopeOf(link)) } };
	});
}
