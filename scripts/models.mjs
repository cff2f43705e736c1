#!/usr/bin/env node
// Writes server/core/models/registry.json: the window of each model. Run it with
//   node scripts/models.mjs
// after changing modelFigures.mjs or the version of llm-zoo or tokenlens; review the difference before committing.
//
// If sources disagree, the order is `corrections` (each with its reason), `documentedWindows`, llm-zoo, tokenlens, `cards`.
// A window that is too large makes the meter warn after a request has failed; one that is too small only makes it warn early. So the
// smaller of two disputed figures is used, unless a correction gives a reason.

import { writeFileSync } from 'node:fs';
import { MODEL_CONFIGS } from 'llm-zoo';
import { models as lensModels } from 'tokenlens';
import { importSource } from './bundleSource.mjs';
import { cards, corrections, documentedWindows, providerDefaults } from './modelFigures.mjs';

const date = '2026-11-21';

const sources = {
	documented: 'the table of context windows in NeuroLink’s documentation',
	zoo: 'llm-zoo 1.37.0, MIT',
	lens: 'tokenlens 1.3.1, MIT',
	card: 'the models’ own cards',
	corrected: 'corrections in scripts/modelFigures.mjs, each with its reason',
};

// Vendors whose models are read from tokenlens.
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
// Hosts that serve models of other vendors with lower limits. Copilot reports its limits only to its clients, so models that its
// list lacks get at most its usual 128 000.
const lensHosts = { 'github-copilot': 'copilot', groq: 'groq', cerebras: 'cerebras' };
const ceilings = { copilot: 128_000 };

const { parseModelId, findLongestMatch } = await importSource(
	"export { parseModelId, findLongestMatch } from './server/core/models/modelId.ts';",
);

const models = new Map();
const hosts = new Map();
for (const [names, [contextWindow, maxOutputTokens, maxInputTokens], reason] of corrections) {
	if (!reason) throw new Error(`${names.join(', ')}: a correction needs its reason`);
	const figures = { contextWindow, maxOutputTokens, maxInputTokens };
	for (const name of names) addModel(models, name, figures, 'corrected');
}
for (const [name, contextWindow] of Object.entries(documentedWindows))
	addModel(models, name, { contextWindow, maxOutputTokens: findOutputLimit(name) }, 'documented');
for (const model of Object.values(MODEL_CONFIGS)) {
	const { contextWindow, maxOutputTokens } = model;
	addModel(models, model.shortName, { contextWindow, maxOutputTokens }, 'zoo');
	addModel(models, model.fullName, { contextWindow, maxOutputTokens }, 'zoo');
}
for (const { vendorId, provider, context } of listLensModels()) {
	const figures = { contextWindow: context.combinedMax, maxOutputTokens: context.outputMax };
	if (lensVendors.includes(provider)) addModel(models, vendorId, figures, 'lens');
	const host = lensHosts[provider];
	if (!host) continue;
	if (!hosts.has(host)) hosts.set(host, new Map());
	addModel(hosts.get(host), vendorId, figures, 'lens');
}
for (const [name, [contextWindow, maxOutputTokens]] of Object.entries(cards))
	addModel(models, name, { contextWindow, maxOutputTokens }, 'card');

const registryColumns = ['contextWindow', 'maxOutputTokens', 'maxInputTokens', 'source'];
const registry = {
	date,
	sources,
	default: 128_000,
	providers: providerDefaults,
	ceilings,
	columns: registryColumns,
	hosts: Object.fromEntries(
		[...hosts].map(([host, entries]) => [host, sortByName(withoutRedundant(entries))]),
	),
	models: sortByName(withoutRedundant(models)),
};
const text = `${formatRegistry(registry)}\n`;
writeFileSync(new URL('../server/core/models/registry.json', import.meta.url), text);
console.log(`${Object.keys(registry.models).length} models, ${text.length} bytes`);

/** Adds a model unless an earlier source has it. In packages, a name with a date counts as the same model. */
function addModel(entries, id, { contextWindow, maxOutputTokens, maxInputTokens }, source) {
	const { name } = parseModelId(withoutBedrockVersion(id));
	const isFromPackage = source === 'zoo' || source === 'lens';
	if (
		entries.has(name) ||
		(isFromPackage && entries.has(withoutDate(name))) ||
		!(contextWindow > 0) ||
		!(maxOutputTokens > 0)
	)
		return;
	entries.set(name, {
		contextWindow,
		maxOutputTokens: Math.min(maxOutputTokens, contextWindow),
		maxInputTokens: maxInputTokens ?? null,
		source,
	});
}

/** Removes Bedrock's `-v1:0`, except for the first Claude models, whose names contain it. */
function withoutBedrockVersion(id) {
	return id.includes('claude-v') ? id : id.replace(/-v\d+:\d+$/, '');
}

function withoutDate(name) {
	return name.replace(/(?:-latest|(?:-\d+)+)$/, '');
}

function findOutputLimit(id) {
	const { name } = parseModelId(id);
	const isSame = (other) => parseModelId(withoutBedrockVersion(other)).name === name;
	const zoo = Object.values(MODEL_CONFIGS).find((model) => isSame(model.fullName) || isSame(model.shortName));
	const limit =
		zoo?.maxOutputTokens ?? listLensModels().find((model) => isSame(model.vendorId))?.context.outputMax;
	if (!limit && !corrections.some(([names]) => names.includes(id)))
		throw new Error(`${id}: no source gives its output limit`);
	return limit;
}

function listLensModels() {
	return Object.values(lensModels).filter((model) => model.context?.combinedMax > 0);
}

/** Removes entries whose figures a lookup also finds under a shorter name. */
function withoutRedundant(entries) {
	const remaining = new Map();
	const serializeFigures = ({ source, ...figures }) => JSON.stringify(figures);
	for (const name of [...entries.keys()].sort((a, b) => a.length - b.length)) {
		const entry = entries.get(name);
		const shorter = findLongestMatch(name, (key) => remaining.get(key));
		if (!shorter || serializeFigures(shorter) !== serializeFigures(entry)) remaining.set(name, entry);
	}
	return remaining;
}

function sortByName(entries) {
	return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Formats the registry as JSON with one line per model. */
function formatRegistry(entry, depth = 0) {
	if (entry === null || typeof entry !== 'object') return JSON.stringify(entry);
	if (Array.isArray(entry)) return `[${entry.map((item) => JSON.stringify(item)).join(', ')}]`;
	if ('source' in entry) return formatRegistry(registryColumns.map((column) => entry[column]));
	const indent = '\t'.repeat(depth + 1);
	const lines = Object.entries(entry).map(
		([key, item]) => `${indent}${JSON.stringify(key)}: ${formatRegistry(item, depth + 1)}`,
	);
	return `{\n${lines.join(',\n')}\n${'\t'.repeat(depth)}}`;
}
