import { Failure } from '../failure.ts';
import { aiSdk } from './aiSdk/adapter.ts';
import { anthropic } from './anthropic/adapter.ts';
import { bedrock } from './bedrock/adapter.ts';
import { contextd } from './contextd.ts';
import { gemini } from './gemini/adapter.ts';
import { formatNames } from './names.ts';
import { neurolink } from './neurolink.ts';
import { openai } from './openai/adapter.ts';
import { openaiResponses } from './responses/adapter.ts';
import type { FormatAdapter } from './wire/adapter.ts';

const adapters: readonly FormatAdapter[] = [
	contextd,
	anthropic,
	openai,
	openaiResponses,
	gemini,
	neurolink,
	bedrock,
	aiSdk,
];

/** Returns the adapter of a format. Throws `UnsupportedFormat` that names the known formats. */
export function formatAdapter(name: string): FormatAdapter {
	const adapter = adapters.find((candidate) => candidate.name === name);
	if (adapter) return adapter;
	const known = formatNames.map((format) => `"${format}"`).join(', ');
	throw new Failure('UnsupportedFormat', `format: expected one of ${known}, got "${name}"`, { format: name });
}
