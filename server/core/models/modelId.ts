/** What a client calls a model, taken apart: hosts, regions, vendors, tags and window suffixes fall away. */

export interface ModelId {
	/** The bare name, in lower case, as the registry spells it. */
	name: string;
	/** Who else the written name mentions: route and vendor prefixes, in order. */
	hints: string[];
	/** Tokens, where the name itself states its window (`[1m]`, `:48k`). */
	contextWindow?: number;
}

const bedrockPrefix =
	/^(?:(?:us|eu|ap|apac|au|jp|ca|sa|global|us-gov)\.)?(anthropic|amazon|meta|mistral|cohere|ai21|deepseek|qwen|openai|google|moonshot|minimax|zai)\./;
/** UTF-16 units; no model has a longer name. */
const longestName = 512;
/** How people call the newest models of each line of Claude. */
const shortNames: Readonly<Record<string, string>> = {
	sonnet: 'claude-sonnet-5',
	opus: 'claude-opus-5-5',
	haiku: 'claude-haiku-4-5',
	fable: 'claude-fable-5-1',
};
const windowInBrackets = /\[(\d{1,4})([km])\]$/;
const windowTag = /:(\d{1,4})(k)$/;

/**
 * Takes a model id apart: `openrouter/anthropic/claude-opus-4.6:beta`, `us.anthropic.claude-3-haiku-20240307-v1:0`,
 * `models/gemini-2.5-pro`, `claude-sonnet-4@20250514` and `claude-sonnet-4-5[1m]` all give the bare name.
 */
export function parseModelId(model: string): ModelId {
	let name = model.trim().slice(0, longestName).toLowerCase();
	let contextWindow: number | undefined;
	const stated = windowInBrackets.exec(name) ?? windowTag.exec(name);
	if (stated) {
		contextWindow = Number(stated[1]) * (stated[2] === 'm' ? 1_000_000 : 1000);
		name = name.slice(0, stated.index);
	}
	const segments = name.split('/').filter((segment) => segment !== '');
	name = segments.pop() ?? '';
	const hints = segments;
	const bedrock = bedrockPrefix.exec(name);
	if (bedrock) {
		hints.push(bedrock[1]!);
		name = name.slice(bedrock[0].length);
	}
	if (name.startsWith('copilot-')) {
		hints.push('copilot');
		name = name.slice('copilot-'.length);
	}
	name = name.replaceAll('@', '-');
	name = Object.hasOwn(shortNames, name) ? (shortNames[name] ?? name) : name;
	if (name.startsWith('claude')) name = spellClaude(name);
	else if (name.startsWith('gpt-35')) name = `gpt-3.5${name.slice('gpt-35'.length)}`;
	return contextWindow && contextWindow > 0 ? { name, hints, contextWindow } : { name, hints };
}

/** Some hosts write `claude-opus-4.6` or `claude-4.6-opus` where Anthropic writes `claude-opus-4-6`. */
function spellClaude(name: string): string {
	const dashed = name.replace(/(\d)\.(\d)/g, '$1-$2');
	return dashed.replace(
		/^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku)(?![a-z])/,
		(_, version: string, tier: string) => `claude-${tier}-${version}`,
	);
}

const separators = new Set(['-', ':', '_']);

/**
 * The entry of the longest key that is the name itself or ends at one of its separators. What follows a key
 * that ends in a digit must not read like a further part of its version: `claude-opus-4` is not `claude-opus-4-9`.
 */
export function longestMatch<T>(name: string, find: (key: string) => T | undefined): T | undefined {
	for (let end = name.length; end > 0; end--) {
		if (end < name.length && !separators.has(name.charAt(end))) continue;
		const found = find(name.slice(0, end));
		if (found === undefined) continue;
		const furtherVersion = /\d$/.test(name.slice(0, end)) && /^-\d{1,2}(?!\d)/.test(name.slice(end, end + 4));
		return furtherVersion ? undefined : found;
	}
	return undefined;
}
