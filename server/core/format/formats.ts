import { Failure } from '../failure.ts';
import { aiSdkFormat } from './aiSdk/adapter.ts';
import { anthropicFormat } from './anthropic/adapter.ts';
import { bedrockFormat } from './bedrock/adapter.ts';
import { contextdFormat } from './contextd.ts';
import { geminiFormat } from './gemini/adapter.ts';
import { formatNames } from './names.ts';
import { neurolinkFormat } from './neurolink.ts';
import { openaiFormat } from './openai/adapter.ts';
import { openaiResponsesFormat } from './responses/adapter.ts';
import type { FormatAdapter } from './wire/adapter.ts';

const adapters: readonly FormatAdapter[] = [
	contextdFormat,
	anthropicFormat,
	openaiFormat,
	openaiResponsesFormat,
	geminiFormat,
	neurolinkFormat,
	bedrockFormat,
	aiSdkFormat,
];

/** Returns the adapter of a format. Throws `UnsupportedFormat` that names the known formats. */
export function getFormatAdapter(name: string): FormatAdapter {
	const adapter = adapters.find((candidate) => candidate.name === name);
	if (adapter) return adapter;
	const names = formatNames.map((format) => `"${format}"`).join(', ');
	throw new Failure('UnsupportedFormat', `format: expected one of ${names}, got "${name}"`, { format: name });
}
