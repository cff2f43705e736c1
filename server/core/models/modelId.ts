/** Parses model names as clients write them: drops hosts, regions, vendors, tags and windows. */

export interface ModelId {
	/** The bare name, lowercase, in the registry's spelling. */
	name: string;
	/** Providers that the written name mentions: route and vendor prefixes, in order. */
	hints: string[];
	/** The model's window in tokens, if the name states the window (`[1m]`, `:48k`). */
	contextWindow?: number;
}

const bedrockPrefixPattern =
	/^(?:(?:us|eu|ap|apac|au|jp|ca|sa|global|us-gov)\.)?(anthropic|amazon|meta|mistral|cohere|ai21|deepseek|qwen|openai|google|moonshot|minimax|zai)\./;
/** Maximum length of a name, in UTF-16 units; no model has a longer name. */
const maxNameLength = 512;
/** Short names for the newest model of each Claude line. */
const modelAliases: Readonly<Record<string, string>> = {
	sonnet: 'claude-sonnet-5',
	opus: 'claude-opus-5-5',
	haiku: 'claude-haiku-4-5',
	fable: 'claude-fable-5-1',
};
const windowInBracketsPattern = /\[(\d{1,4})([km])\]$/;
const windowTagPattern = /:(\d{1,4})(k)$/;

/**
 * Parses a model id to its bare name. Examples: `openrouter/anthropic/claude-opus-4.6:beta`,
 * `us.anthropic.claude-3-haiku-20240307-v1:0`, `models/gemini-2.5-pro`, `claude-sonnet-4@20250514`,
 * `claude-sonnet-4-5[1m]`.
 */
export function parseModelId(model: string): ModelId {
	let name = model.trim().slice(0, maxNameLength).toLowerCase();
	let contextWindow: number | undefined;
	const statedWindow = windowInBracketsPattern.exec(name) ?? windowTagPattern.exec(name);
	if (statedWindow) {
		contextWindow = Number(statedWindow[1]) * (statedWindow[2] === 'm' ? 1_000_000 : 1000);
		name = name.slice(0, statedWindow.index);
	}
	const segments = name.split('/').filter((segment) => segment !== '');
	name = segments.pop() ?? '';
	const hints = segments;
	const bedrock = bedrockPrefixPattern.exec(name);
	if (bedrock) {
		hints.push(bedrock[1]!);
		name = name.slice(bedrock[0].length);
	}
	if (name.startsWith('copilot-')) {
		hints.push('copilot');
		name = name.slice('copilot-'.length);
	}
	name = name.replaceAll('@', '-');
	name = Object.hasOwn(modelAliases, name) ? (modelAliases[name] ?? name) : name;
	if (name.startsWith('claude')) name = normalizeClaudeName(name);
	else if (name.startsWith('gpt-35')) name = `gpt-3.5${name.slice('gpt-35'.length)}`;
	return contextWindow && contextWindow > 0 ? { name, hints, contextWindow } : { name, hints };
}

/** Converts `claude-opus-4.6` and `claude-4.6-opus`, as some hosts write, to Anthropic's `claude-opus-4-6`. */
function normalizeClaudeName(name: string): string {
	const dashed = name.replace(/(\d)\.(\d)/g, '$1-$2');
	return dashed.replace(
		/^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku)(?![a-z])/,
		(_, version: string, tier: string) => `claude-${tier}-${version}`,
	);
}

const nameSeparators = new Set(['-', ':', '_']);

/**
 * Returns the entry of the longest key that equals the name, or its part before a separator. After a key that ends in a
 * digit, the name must not continue with another part of its version: `claude-opus-4` does not match `claude-opus-4-9`.
 */
export function findLongestMatch<T>(name: string, find: (key: string) => T | undefined): T | undefined {
	for (let end = name.length; end > 0; end--) {
		if (end < name.length && !nameSeparators.has(name.charAt(end))) continue;
		const value = find(name.slice(0, end));
		if (value === undefined) continue;
		const hasFurtherVersion =
			/\d$/.test(name.slice(0, end)) && /^-\d{1,2}(?!\d)/.test(name.slice(end, end + 4));
		return hasFurtherVersion ? undefined : value;
	}
	return undefined;
}
