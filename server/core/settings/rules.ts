/** Checks settings in ways that JSON Schema cannot express. */

import type { ChainLink } from '../../protocol/chain.ts';
import type { Thresholds } from '../../protocol/settingParts.ts';
import type { SettingFault } from './check.ts';

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function checkAddress(value: string): SettingFault | null {
	const fault = {
		path: '',
		expected: 'an https address, or an http address of this machine, without a user or password',
		value,
	};
	if (!URL.canParse(value)) return fault;
	const { protocol, hostname, username, password } = new URL(value);
	if (username !== '' || password !== '') return fault;
	return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)) ? null : fault;
}

function checkResource(value: string): SettingFault | null {
	return /^[a-z0-9-]+$/i.test(value) ? null : { path: '', expected: 'letters, digits and "-"', value };
}

function checkAscending(levels: Thresholds): SettingFault | null {
	const { warning, critical, overflow } = levels;
	return warning < critical && critical < overflow
		? null
		: { path: '', expected: 'ascending levels { warning, critical, overflow }', value: levels };
}

function checkLink({ provider, model, baseURL }: ChainLink): SettingFault | null {
	const hasModel = provider !== 'client' && provider !== 'extractive';
	if (hasModel && !model) return { path: '.model', expected: 'a string', value: model };
	const needsAddress = provider === 'openai-compatible' && !baseURL;
	return needsAddress ? { path: '.baseURL', expected: 'an address', value: baseURL } : null;
}

/** Checks of values that fit their schema, by the name of the rule. */
export const settingRules = {
	address: checkAddress,
	resource: checkResource,
	ascending: checkAscending,
	link: checkLink,
};

export type RuleName = keyof typeof settingRules;
