/** What an entry of `summarization.chain` may say. */

import type { ChainLink, SummaryProvider } from '../../protocol/settings.ts';
import { isFields } from '../shape.ts';

type MemberCheck = (value: unknown) => string | null;

/** Every provider, and whether it is asked for a model that has to be named. */
const providers: Readonly<Record<SummaryProvider, { hasModel: boolean }>> = {
	client: { hasModel: false },
	anthropic: { hasModel: true },
	openai: { hasModel: true },
	azure: { hasModel: true },
	google: { hasModel: true },
	vertex: { hasModel: true },
	bedrock: { hasModel: true },
	mistral: { hasModel: true },
	'openai-compatible': { hasModel: true },
	'openai-compact': { hasModel: true },
	extractive: { hasModel: false },
};

const words: MemberCheck = (value) => (typeof value === 'string' && value !== '' ? null : 'a text');

const milliseconds: MemberCheck = (value) =>
	Number.isSafeInteger(value) && (value as number) > 0 ? null : 'a whole number of milliseconds from 1 on';

const count: MemberCheck = (value) =>
	Number.isSafeInteger(value) && (value as number) >= 0 ? null : 'a whole number from 0 on';

const flag: MemberCheck = (value) => (typeof value === 'boolean' ? null : 'true or false');

const key: MemberCheck = (value) =>
	words(value) === null || (isFields(value) && words(value.env) === null && Object.keys(value).length === 1)
		? null
		: 'a text or { env: the name of a variable }';

const headers: MemberCheck = (value) =>
	isFields(value) && Object.values(value).every((one) => typeof one === 'string')
		? null
		: 'an object of texts by name';

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

const address: MemberCheck = (value) => {
	const expected = 'an https address, or an http address of this machine, without a user or password';
	if (typeof value !== 'string' || !URL.canParse(value)) return expected;
	const { protocol, hostname, username, password } = new URL(value);
	if (username !== '' || password !== '') return expected;
	return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)) ? null : expected;
};

const provider: MemberCheck = (value) =>
	typeof value === 'string' && Object.hasOwn(providers, value)
		? null
		: `one of ${Object.keys(providers).join(', ')}`;

const members: Readonly<Record<keyof ChainLink, MemberCheck>> = {
	provider,
	model: words,
	baseURL: address,
	apiKey: key,
	headers,
	resourceName: (value) =>
		typeof value === 'string' && /^[a-z0-9-]+$/i.test(value) ? null : 'letters, digits and "-"',
	apiVersion: words,
	project: words,
	location: (value) => (typeof value === 'string' && /^[a-z0-9-]+$/i.test(value) ? null : 'a location'),
	region: (value) => (typeof value === 'string' && /^[a-z0-9-]+$/i.test(value) ? null : 'a region'),
	stream: flag,
	timeoutMs: milliseconds,
	maxRetries: count,
};

function isMember(name: string): name is keyof ChainLink {
	return Object.hasOwn(members, name);
}

function linkProblem(link: unknown): string | null {
	if (!isFields(link)) return 'an object { provider, model, … }';
	const wrong = provider(link.provider);
	if (wrong !== null) return `provider: ${wrong}`;
	for (const [name, value] of Object.entries(link)) {
		const expected = isMember(name) && value !== undefined ? members[name](value) : null;
		if (expected !== null) return `${name}: ${expected}`;
	}
	const { hasModel } = providers[link.provider as SummaryProvider];
	if (hasModel && link.model === undefined) return 'model: a text';
	return link.provider === 'openai-compatible' && link.baseURL === undefined ? 'baseURL: an address' : null;
}

/** Null where a chain is good, else what was expected where. Nothing of the chain itself is told: keys stand in it. */
export function chainProblem(value: unknown): string | null {
	if (!Array.isArray(value)) return 'a list of { provider, model, … }';
	for (const [index, link] of value.entries()) {
		const expected = linkProblem(link);
		if (expected !== null) return `in entry ${index + 1} ${expected}`;
	}
	return null;
}

/** Members of a chain's entries that nobody knows, as paths below the chain. */
export function unknownLinkMembers(value: unknown): string[] {
	if (!Array.isArray(value)) return [];
	return value.flatMap((link, index) =>
		isFields(link)
			? Object.keys(link)
					.filter((name) => !isMember(name))
					.map((name) => `[${index}].${name}`)
			: [],
	);
}
