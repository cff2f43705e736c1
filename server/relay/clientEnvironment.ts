/** The variables of a client that a daemon uses. */

import { type Fields, isFields } from '../core/shape.ts';

/** Variables of contextd, of the agents whose transcripts it reads, and of the providers that it asks. */
const documented =
	/^(?:CONTEXTD|XDG|CLAUDE|CLINE|CODEX|COPILOT|GEMINI|GROK|KIMI|OPENCLAW|OPENCODE|PI|QWEN|ANTHROPIC|AWS|AZURE|GOOGLE|MISTRAL|OPENAI)_|^DISABLE_(?:AUTO_)?COMPACT$|^(?:HOME|USERPROFILE|APPDATA|LOCALAPPDATA)$|_API_KEY$/;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables that are sent to the daemon: the documented ones, keys, and those that the client's settings name
 * as `{ env: NAME }`.
 */
export function clientEnvironment(environment: Variables, settings: unknown): Record<string, string> {
	const named = new Set(namedKeys(settings));
	const sent: Record<string, string> = {};
	for (const [name, value] of Object.entries(environment)) {
		if (value !== undefined && (documented.test(name) || named.has(name))) sent[name] = value;
	}
	return sent;
}

/** Names of variables that hold the keys of a chain of providers. */
function namedKeys(settings: unknown): string[] {
	const chain = fieldsOf(fieldsOf(settings).summarization).chain;
	if (!Array.isArray(chain)) return [];
	return chain.flatMap((link) => {
		const { env } = fieldsOf(fieldsOf(link).apiKey);
		return typeof env === 'string' ? [env] : [];
	});
}

function fieldsOf(value: unknown): Fields {
	return isFields(value) ? value : {};
}
