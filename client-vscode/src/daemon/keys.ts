/**
 * Keys of the providers that write summaries. They lie in the editor's secret storage; the daemon gets them in variables of
 * its own process, and its settings name the variables alone, so that no trace of messages shows one.
 */

/** An entry of `contextd.summarization.chain`, as far as its key is concerned. */
export interface KeyedLink {
	provider: string;
	baseURL?: string;
	apiKey?: unknown;
}

/** The keys by the place that each is for. */
export type Keys = ReadonlyMap<string, string>;

/** What the editor keeps secrets with. */
export interface SecretKeeper {
	get(name: string): Thenable<string | undefined>;
	store(name: string, value: string): Thenable<void>;
	delete(name: string): Thenable<void>;
}

/** What the editor keeps names with. */
export interface NameKeeper {
	get<T>(name: string, otherwise: T): T;
	update(name: string, value: unknown): Thenable<void>;
}

const listName = 'contextd.keyPlaces';

/** Providers that take no key. */
const keyless: ReadonlySet<string> = new Set(['client', 'extractive']);

/** The entries of a chain that a key may be kept for; empty where it is no chain. */
export function keyedLinks(chain: unknown): KeyedLink[] {
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

/** What a key is for: a provider, at an origin where that is not its own. A key kept for one goes to no other. */
export function keyPlaceOf({ provider, baseURL }: KeyedLink): string {
	if (baseURL === undefined) return provider;
	return `${provider} at ${URL.canParse(baseURL) ? new URL(baseURL).origin : baseURL}`;
}

function secretName(place: string): string {
	return `contextd.key ${place}`;
}

/** The variable of the daemon's process that holds the key of a place. */
export function variableOf(place: string): string {
	return `CONTEXTD_KEY_${Buffer.from(place).toString('hex').toUpperCase()}`;
}

/** All keys that are kept. */
export async function loadKeys(secrets: SecretKeeper, names: NameKeeper): Promise<Keys> {
	const keys = new Map<string, string>();
	for (const place of names.get<string[]>(listName, [])) {
		const key = await secrets.get(secretName(place));
		if (key) keys.set(place, key);
	}
	return keys;
}

/** Keeps a key; the empty one is forgotten. */
export async function keepKey(
	secrets: SecretKeeper,
	names: NameKeeper,
	place: string,
	key: string,
): Promise<void> {
	const others = names.get<string[]>(listName, []).filter((other) => other !== place);
	if (key === '') await secrets.delete(secretName(place));
	else await secrets.store(secretName(place), key);
	await names.update(listName, key === '' ? others : [...others, place]);
}

/** The variables of the daemon's process. */
export function keyVariables(keys: Keys): Record<string, string> {
	return Object.fromEntries([...keys].map(([place, key]) => [variableOf(place), key]));
}

/** A chain whose entries without a key name the variable of the one that is kept for them. */
export function withKeys(chain: unknown, keys: Keys): unknown {
	if (!Array.isArray(chain)) return chain;
	const keyed = new Set<unknown>(keyedLinks(chain));
	return chain.map((link: KeyedLink) => {
		if (!keyed.has(link) || link.apiKey !== undefined || !keys.has(keyPlaceOf(link))) return link;
		return { ...link, apiKey: { env: variableOf(keyPlaceOf(link)) } };
	});
}
