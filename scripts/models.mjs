#!/usr/bin/env node
// Writes server/core/models/registry.json: the window of each model. Run it with
//   node scripts/models.mjs
// after changing a figure here or the version of llm-zoo or tokenlens; review the difference before committing.
//
// If sources disagree, the order is `corrections` (each with its reason), `documented`, llm-zoo, tokenlens, `cards`.
// If a window is stated too large, the meter warns only after a request has failed; if too small, it warns early. So
// the smaller of two disputed figures wins, unless a reason is given.

import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { MODEL_CONFIGS } from 'llm-zoo';
import { models as lensModels } from 'tokenlens';

const date = '2026-11-21';

const sources = {
	documented: 'the table of context windows in NeuroLink’s documentation',
	zoo: 'llm-zoo 1.37.0, MIT',
	lens: 'tokenlens 1.3.1, MIT',
	card: 'the models’ own cards',
	corrected: 'corrections in scripts/models.mjs, each with its reason',
};

// Default window by provider, from the documents; copilot's is explained below.
const providerDefaults = {
	anthropic: 200_000,
	openai: 128_000,
	'google-ai': 1_048_576,
	vertex: 1_048_576,
	bedrock: 200_000,
	azure: 128_000,
	mistral: 128_000,
	ollama: 128_000,
	litellm: 128_000,
	huggingface: 32_000,
	sagemaker: 128_000,
	copilot: 128_000,
};

// The documents' table of models.
const documented = {
	'claude-opus-4-20250514': 200_000,
	'claude-sonnet-4-20250514': 200_000,
	'claude-3-7-sonnet-20250219': 200_000,
	'claude-3-5-sonnet-20241022': 200_000,
	'claude-3-5-haiku-20241022': 200_000,
	'claude-3-opus-20240229': 200_000,
	'claude-3-sonnet-20240229': 200_000,
	'claude-3-haiku-20240307': 200_000,
	'gpt-4o': 128_000,
	'gpt-4o-mini': 128_000,
	'gpt-4-turbo': 128_000,
	'gpt-4': 8192,
	'gpt-3.5-turbo': 16_385,
	o1: 200_000,
	'o1-mini': 128_000,
	'o1-pro': 200_000,
	o3: 200_000,
	'o3-mini': 200_000,
	'o4-mini': 200_000,
	'gpt-4.1': 1_047_576,
	'gpt-4.1-mini': 1_047_576,
	'gpt-4.1-nano': 1_047_576,
	'gpt-5': 1_047_576,
	'gemini-2.5-pro': 1_048_576,
	'gemini-2.5-flash': 1_048_576,
	'gemini-2.0-flash': 1_048_576,
	'gemini-1.5-pro': 2_097_152,
	'gemini-1.5-flash': 1_048_576,
	'gemini-3-flash-preview': 1_048_576,
	'gemini-3-pro-preview': 1_048_576,
	'nova-pro': 300_000,
	'nova-lite': 300_000,
	'mistral-large-latest': 128_000,
	'mistral-medium-latest': 32_000,
	'mistral-small-latest': 128_000,
	'codestral-latest': 256_000,
};

// [models, figures, reason]
const corrections = [
	[
		[
			'gpt-5',
			'gpt-5-mini',
			'gpt-5-nano',
			'gpt-5-codex',
			'gpt-5.1',
			'gpt-5.1-codex',
			'gpt-5.2',
			'gpt-5.2-codex',
		],
		{ contextWindow: 400_000, maxOutputTokens: 128_000, maxInputTokens: 272_000 },
		'400 000, of which 272 000 input; 80% of the documented 1 047 576 would never be reached',
	],
	[
		[
			'gpt-5.1-codex-mini',
			'gpt-5.1-codex-max',
			'gpt-5.2-pro',
			'gpt-5.3',
			'gpt-5.3-codex',
			'gpt-5.4-mini',
			'gpt-5.4-nano',
		],
		{ contextWindow: 400_000, maxOutputTokens: 128_000, maxInputTokens: 272_000 },
		'the same limits as gpt-5',
	],
	[
		['gpt-5-pro'],
		{ contextWindow: 400_000, maxOutputTokens: 272_000, maxInputTokens: 272_000 },
		'takes in 272 000 like gpt-5, though it may write as much',
	],
	[
		['gpt-5.3-codex-spark'],
		{ contextWindow: 128_000, maxOutputTokens: 32_000 },
		'Codex reports 121 600 for it, its usual 95% of 128 000',
	],
	[
		[
			'gpt-5-chat',
			'gpt-5.1-chat',
			'gpt-5.2-chat',
			'gpt-5.3-chat',
			'gpt-5.4-chat',
			'gpt-5.5-chat',
			'gpt-5.6-chat',
		],
		{ contextWindow: 128_000, maxOutputTokens: 16_384 },
		'the chat variants keep 128 000; tokenlens gives gpt-5’s figure',
	],
	[
		[
			'gpt-5.4',
			'gpt-5.4-pro',
			'gpt-5.5',
			'gpt-5.5-pro',
			'gpt-5.6',
			'gpt-5.6-sol',
			'gpt-5.6-terra',
			'gpt-5.6-luna',
		],
		{ contextWindow: 1_050_000, maxOutputTokens: 128_000, maxInputTokens: 922_000 },
		'the window less the largest answer is what it takes in',
	],
	[
		['gpt-6-astra', 'gpt-6-sol', 'gpt-6-luna'],
		{ contextWindow: 1_050_000, maxOutputTokens: 128_000, maxInputTokens: 922_000 },
		'the window less the largest answer is what it takes in',
	],
	[
		['gpt-4-0125-preview', 'gpt-4-1106-preview', 'gpt-4-vision-preview', 'gpt-4-1106-vision-preview'],
		{ contextWindow: 128_000, maxOutputTokens: 4096 },
		'previews of gpt-4-turbo under gpt-4’s name',
	],
	[['gpt-4-32k'], { contextWindow: 32_768, maxOutputTokens: 8192 }, 'another window under gpt-4’s name'],
	[
		['gpt-3.5-turbo-0301', 'gpt-3.5-turbo-0613', 'gpt-3.5-turbo-instruct'],
		{ contextWindow: 4096, maxOutputTokens: 4096 },
		'the first ones held 4 096',
	],
	[
		[
			'mistral-large',
			'mistral-large-latest',
			'mistral-large-2512',
			'mistral-medium',
			'mistral-medium-latest',
		],
		{ contextWindow: 262_144, maxOutputTokens: 32_768 },
		'the models behind these names hold 262 144 now; the documented 128 000 and 32 000 are of older ones',
	],
	[
		['mistral-small', 'mistral-small-latest', 'mistral-small-2603'],
		{ contextWindow: 256_000, maxOutputTokens: 32_768 },
		'the model behind these names holds 256 000 now',
	],
	[['mistral-large-2402'], { contextWindow: 32_768, maxOutputTokens: 32_768 }, 'the first one held 32 768'],
	[
		['mistral-large-2407', 'mistral-large-2411', 'mistral-medium-2505', 'mistral-medium-2508'],
		{ contextWindow: 131_072, maxOutputTokens: 32_768 },
		'dated ones keep their own window; for 2508 the sources disagree, so the smaller',
	],
	[
		['mistral-small-2409'],
		{ contextWindow: 32_768, maxOutputTokens: 32_768 },
		'dated ones keep their own window',
	],
	[
		['mistral-small-2501', 'mistral-small-2503', 'mistral-small-2506'],
		{ contextWindow: 128_000, maxOutputTokens: 32_768 },
		'dated ones keep their own window',
	],
	[
		['deepseek-chat'],
		{ contextWindow: 128_000, maxOutputTokens: 8192 },
		'llm-zoo holds several models of this name; the vendor’s own name answers with 128 000',
	],
	[
		['deepseek-reasoner'],
		{ contextWindow: 128_000, maxOutputTokens: 65_536 },
		'llm-zoo holds several models of this name; the vendor’s own name answers with 128 000',
	],
	[
		['gemini-2.5-flash-lite', 'gemini-2.5-flash-lite-preview'],
		{ contextWindow: 1_048_576, maxOutputTokens: 65_536 },
		'65 536, as both packages give for a preview, is its output limit',
	],
	[
		['glm-5'],
		{ contextWindow: 200_000, maxOutputTokens: 128_000 },
		'llm-zoo’s 80 000 is of one host and below its own output limit',
	],
	[
		['glm-4.6'],
		{ contextWindow: 200_000, maxOutputTokens: 128_000 },
		'in neither package; the same limits as glm-4.7, as its maker states',
	],
	[
		['kimi-k2'],
		{ contextWindow: 131_072, maxOutputTokens: 16_384 },
		'an alias in neither package; the first kimi-k2, since later ones with more have names of their own',
	],
	[
		['command-a-03-2025'],
		{ contextWindow: 256_000, maxOutputTokens: 8192 },
		'in neither package; as its maker states',
	],
	[['claude-2', 'claude-instant'], { contextWindow: 100_000, maxOutputTokens: 4096 }, 'in neither package'],
	[['claude-2-1', 'claude-v2:1'], { contextWindow: 200_000, maxOutputTokens: 4096 }, 'in neither package'],
	[
		['llama4-scout', 'llama-4-scout', 'llama4-maverick', 'llama-4-maverick'],
		{ contextWindow: 128_000, maxOutputTokens: 8192 },
		'the millions that one host offers are not what others serve',
	],
];

// Open-weight models, in the spellings of local servers, with their trained [window, output].
const cards = {
	llama2: [4096, 4096],
	llama3: [8192, 8192],
	'llama-3': [8192, 8192],
	'llama3.1': [131_072, 131_072],
	'llama-3.1': [131_072, 131_072],
	'llama3.2': [131_072, 131_072],
	'llama-3.2': [131_072, 131_072],
	'llama3.3': [131_072, 131_072],
	'llama-3.3': [131_072, 131_072],
	codellama: [16_384, 16_384],
	'mistral-7b': [32_768, 32_768],
	'mistral:7b': [32_768, 32_768],
	'mistral-nemo': [131_072, 131_072],
	mixtral: [32_768, 32_768],
	devstral: [131_072, 131_072],
	codestral: [256_000, 32_768],
	gemma: [8192, 8192],
	gemma2: [8192, 8192],
	'gemma-2': [8192, 8192],
	gemma3: [131_072, 8192],
	'gemma-3': [131_072, 8192],
	'gemma3:1b': [32_768, 8192],
	'gemma-3-1b': [32_768, 8192],
	phi3: [131_072, 131_072],
	phi4: [16_384, 16_384],
	'phi-4': [16_384, 16_384],
	qwen2: [32_768, 32_768],
	'qwen2.5': [32_768, 8192],
	'qwen2.5-coder': [32_768, 8192],
	'qwen-2.5': [32_768, 8192],
	qwq: [32_768, 32_768],
	qwen3: [40_960, 40_960],
	'qwen3-coder': [262_144, 65_536],
	'qwen3-next': [262_144, 65_536],
	'gpt-oss': [131_072, 131_072],
	'deepseek-r1': [128_000, 65_536],
	'deepseek-v3': [128_000, 65_536],
	'grok-code-fast': [256_000, 10_000],
	'gemini-pro': [32_760, 8192],
	'gemini-1.0-pro': [32_760, 8192],
	starcoder2: [16_384, 16_384],
	'command-r': [128_000, 4096],
};

// Vendors whose lists of their own models are read from tokenlens.
const lensVendors = [
	'openai',
	'azure',
	'google',
	'mistral',
	'xai',
	'alibaba',
	'moonshotai',
	'zai',
	'perplexity',
	'amazon-bedrock',
];
// Hosts that serve other vendors' models with their own limits. Copilot limits most models more than their vendors do,
// but reports the limits only to its clients: models that its list lacks get its usual 128 000 at most.
const lensHosts = { 'github-copilot': 'copilot', groq: 'groq', cerebras: 'cerebras' };
const ceilings = { copilot: 128_000 };

const { parseModelId, longestMatch, profileOf } = await importTypeScript(`
	export { parseModelId, longestMatch } from './server/core/models/modelId.ts';
	export { profileOf } from './server/core/models/profiles.ts';
`);

const models = new Map();
const hosts = new Map();
for (const [names, figures, reason] of corrections) {
	if (!reason) throw new Error(`${names.join(', ')}: a correction needs its reason`);
	for (const name of names) add(models, name, figures, 'corrected');
}
for (const [name, contextWindow] of Object.entries(documented)) {
	add(models, name, { contextWindow, maxOutputTokens: outputLimit(name) }, 'documented');
}
for (const model of Object.values(MODEL_CONFIGS)) {
	const { contextWindow, maxOutputTokens } = model;
	add(models, model.shortName, { contextWindow, maxOutputTokens }, 'zoo');
	add(models, model.fullName, { contextWindow, maxOutputTokens }, 'zoo');
}
for (const { vendorId, provider, context } of lens()) {
	const figures = { contextWindow: context.combinedMax, maxOutputTokens: context.outputMax };
	if (lensVendors.includes(provider)) add(models, vendorId, figures, 'lens');
	const host = lensHosts[provider];
	if (!host) continue;
	if (!hosts.has(host)) hosts.set(host, new Map());
	add(hosts.get(host), vendorId, figures, 'lens');
}
for (const [name, [contextWindow, maxOutputTokens]] of Object.entries(cards)) {
	add(models, name, { contextWindow, maxOutputTokens }, 'card');
}

const registryColumns = ['contextWindow', 'maxOutputTokens', 'maxInputTokens', 'profile', 'source'];
const registry = {
	date,
	sources,
	default: 128_000,
	providers: providerDefaults,
	ceilings,
	columns: registryColumns,
	hosts: Object.fromEntries([...hosts].map(([host, entries]) => [host, sorted(lean(entries))])),
	models: sorted(lean(models)),
};
const out = new URL('../server/core/models/registry.json', import.meta.url);
writeFileSync(out, format(registry));
console.log(`${Object.keys(registry.models).length} models, ${format(registry).length} bytes`);

/** Adds a model unless an earlier source has it, in packages also under a dated spelling. */
function add(entries, id, { contextWindow, maxOutputTokens, maxInputTokens }, source) {
	const { name } = parseModelId(bare(id));
	const packaged = source === 'zoo' || source === 'lens';
	if (
		entries.has(name) ||
		(packaged && entries.has(undated(name))) ||
		!(contextWindow > 0) ||
		!(maxOutputTokens > 0)
	)
		return;
	entries.set(name, {
		contextWindow,
		maxOutputTokens: Math.min(maxOutputTokens, contextWindow),
		maxInputTokens: maxInputTokens ?? null,
		profile: profileOf(name),
		source,
	});
}

/** Removes Bedrock's `-v1:0`, except for the first Claude models, whose names contain it. */
function bare(id) {
	return id.includes('claude-v') ? id : id.replace(/-v\d+:\d+$/, '');
}

function undated(name) {
	return name.replace(/(?:-latest|(?:-\d+)+)$/, '');
}

function outputLimit(id) {
	const { name } = parseModelId(id);
	const same = (other) => parseModelId(bare(other)).name === name;
	const zoo = Object.values(MODEL_CONFIGS).find((model) => same(model.fullName) || same(model.shortName));
	const limit = zoo?.maxOutputTokens ?? lens().find((model) => same(model.vendorId))?.context.outputMax;
	if (!limit && !corrections.some(([names]) => names.includes(id)))
		throw new Error(`${id}: no source gives its output limit`);
	return limit;
}

function lens() {
	return Object.values(lensModels).filter((model) => model.context?.combinedMax > 0);
}

/** Removes the entries for which a lookup would find the same figures under a shorter name. */
function lean(entries) {
	const kept = new Map();
	const figures = ({ source, ...rest }) => JSON.stringify(rest);
	for (const name of [...entries.keys()].sort((a, b) => a.length - b.length)) {
		const entry = entries.get(name);
		const shorter = longestMatch(name, (key) => kept.get(key));
		if (!shorter || figures(shorter) !== figures(entry)) kept.set(name, entry);
	}
	return kept;
}

function sorted(entries) {
	return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Formats one line per model. */
function format(value) {
	const text = (entry, depth) => {
		if (entry === null || typeof entry !== 'object') return JSON.stringify(entry);
		if (Array.isArray(entry)) return `[${entry.map((item) => JSON.stringify(item)).join(', ')}]`;
		if ('source' in entry)
			return text(
				registryColumns.map((column) => entry[column]),
				depth,
			);
		const indent = '\t'.repeat(depth + 1);
		const lines = Object.entries(entry).map(
			([key, item]) => `${indent}${JSON.stringify(key)}: ${text(item, depth + 1)}`,
		);
		return `{\n${lines.join(',\n')}\n${'\t'.repeat(depth)}}`;
	};
	return `${text(value, 0)}\n`;
}

async function importTypeScript(contents) {
	const { outputFiles } = await build({
		stdin: { contents, resolveDir: new URL('..', import.meta.url).pathname, loader: 'ts' },
		bundle: true,
		format: 'esm',
		write: false,
	});
	return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
