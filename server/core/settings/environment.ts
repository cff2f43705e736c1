/** Reads settings from environment variables. */

import type { Environment, Fields } from '../shape.ts';
import { setSetting } from './settingsKey.ts';

/** The setting of each variable, and how to read its text. */
const variables: Readonly<Record<string, { path: string; read: (text: string) => unknown }>> = {
	CONTEXTD_MEMORY_ENABLED: { path: 'storage.enabled', read: parseFlag },
	CONTEXTD_SUMMARIZATION_ENABLED: { path: 'compaction.enableSummarization', read: parseFlag },
	CONTEXTD_TOKEN_THRESHOLD: { path: 'tokenThreshold', read: parseNumber },
	CONTEXTD_MEMORY_MAX_SESSIONS: { path: 'storage.maxSessions', read: parseNumber },
	CONTEXTD_LOG_LEVEL: { path: 'logLevel', read: (text) => text },
};

function parseNumber(text: string): unknown {
	const value = text.trim() === '' ? Number.NaN : Number(text);
	return Number.isNaN(value) ? text : value;
}

function parseFlag(text: string): unknown {
	if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true;
	if (['false', '0', 'no', 'off'].includes(text.toLowerCase())) return false;
	return text;
}

/** Returns the settings that environment variables set, as a layer. */
export function createEnvironmentLayer(environment: Environment): Fields {
	const layer: Fields = {};
	for (const [name, { path, read }] of Object.entries(variables)) {
		const text = environment[name];
		if (text !== undefined && text !== '') setSetting(layer, path, read(text));
	}
	const provider = environment.CONTEXTD_SUMMARIZATION_PROVIDER;
	const model = environment.CONTEXTD_SUMMARIZATION_MODEL;
	if (provider) {
		const link = { provider, ...(model && { model }) };
		const chain = provider === 'extractive' ? [link] : [link, { provider: 'extractive' }];
		setSetting(layer, 'summarization.chain', chain);
	}
	return layer;
}

/** Returns a sentence for each variable that has no effect because another variable is missing. */
export function findEnvironmentProblems(environment: Environment): string[] {
	const { CONTEXTD_SUMMARIZATION_PROVIDER: provider, CONTEXTD_SUMMARIZATION_MODEL: model } = environment;
	if (!model || provider) return [];
	return [
		'environment: CONTEXTD_SUMMARIZATION_MODEL has no effect: CONTEXTD_SUMMARIZATION_PROVIDER is not set',
	];
}
