/** Checks entries of `summarization.chain`. */

import type { ChainLink, SummaryProvider } from '../../protocol/settings.ts';
import { isFields } from '../shape.ts';

type MemberCheck = (value: unknown) => string | null;

/** All providers, and whether each needs the name of a model. */
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

const nonEmptyString: MemberCheck = (value) =>
	typeof value === 'string' && value !== '' ? null : 'a string';

const milliseconds: MemberCheck = (value) =>
	Number.isSafeInteger(value) && (value as number) > 0 ? null : 'a whole number of milliseconds from 1';

const count: MemberCheck = (value) =>
	Number.isSafeInteger(value) && (value as number) >= 0 ? null : 'a whole number from 0';

const flag: MemberCheck = (value) => (typeof value === 'boolean' ? null : 'true or false');

const key: MemberCheck = (value) =>
	nonEmptyString(value) === null ||
	(isFields(value) && nonEmptyString(value.env) === null && Object.keys(value).length === 1)
		? null
		: 'a string or { env: the name of a variable }';

const headers: MemberCheck = (value) =>
	isFields(value) && Object.values(value).every((one) => typeof one === 'string')
		? null
		: 'an object of strings by name';

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
	model: nonEmptyString,
	baseURL: address,
	apiKey: key,
	headers,
	resourceName: (value) =>
		typeof value === 'string' && /^[a-z0-9-]+$/i.test(value) ? null : 'letters, digits and "-"',
	apiVersion: nonEmptyString,
	project: nonEmptyString,
	location: (value) => (typeof value === 'string' && /^[a-z0-9-]+$/i.test(value) ? null : 'a location'),
	region: (value) => (typeof value === 'string' && /^[a-z0-9-]+$/i.test(value) ? null : 'a region'),
	stream: flag,
	timeoutMs: milliseconds,
	maxRetries: count,
};

function isMember(name: string): name is keyof ChainLink {
	return Object.hasOwn(members, name);
}

function linkFault(link: unknown): ChainFault | null {
	if (!isFields(link)) return { path: '', expected: 'an object { provider, model, … }', given: link };
	const fault = (name: string, expected: string): ChainFault => ({
		path: `.${name}`,
		expected,
		given: link[name],
	});
	const wrong = provider(link.provider);
	if (wrong !== null) return fault('provider', wrong);
	for (const [name, value] of Object.entries(link)) {
		const expected = isMember(name) && value !== undefined ? members[name](value) : null;
		if (expected !== null) return fault(name, expected);
	}
	const { hasModel } = providers[link.provider as SummaryProvider];
	if (hasModel && link.model === undefined) return fault('model', 'a string');
	const needsAddress = link.provider === 'openai-compatible' && link.baseURL === undefined;
	return needsAddress ? fault('baseURL', 'an address') : null;
}

/** The first fault of a chain: a member of one of its entries, its value, and what was expected. */
export interface ChainFault {
	/** Path in the chain, such as `[0].baseURL`; empty for the chain itself. */
	path: string;
	expected: string;
	given: unknown;
}

/** Returns the first fault of a chain; null if it is valid. */
export function chainFault(value: unknown): ChainFault | null {
	if (!Array.isArray(value)) return { path: '', expected: 'a list of { provider, model, … }', given: value };
	for (const [index, link] of value.entries()) {
		const fault = linkFault(link);
		if (fault) return { ...fault, path: `[${index}]${fault.path}` };
	}
	return null;
}

/**
 * Returns what was expected where; null if a chain is valid. Contains no value of the chain, which may
 * be a key.
 */
export function chainProblem(value: unknown): string | null {
	const fault = chainFault(value);
	return fault && `${fault.path} ${fault.expected}`.trim();
}

/** All members that an entry of a chain may have. */
export const linkMembers: readonly string[] = Object.keys(members);
