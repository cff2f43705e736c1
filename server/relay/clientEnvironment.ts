/** Selects the environment variables of a client that its daemon needs. */

import { selectDocumentedVariables } from '../core/settings/documentedVariables.ts';
import { asFields } from '../core/values.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables to send to the daemon: the documented ones, keys, and those that the client's settings refer
 * to as `{ env: NAME }`.
 */
export function selectClientEnvironment(
	environment: Variables,
	layers: readonly unknown[],
): Record<string, string> {
	const sent = selectDocumentedVariables(environment);
	for (const name of layers.flatMap(listKeyVariables)) {
		const value = environment[name];
		if (value !== undefined) sent[name] = value;
	}
	return sent;
}

/** Returns the environment variables that the settings name for the keys of their summarization chain. */
function listKeyVariables(settings: unknown): string[] {
	const chain = asFields(asFields(settings).summarization).chain;
	if (!Array.isArray(chain)) return [];
	return chain.flatMap((link) => {
		const { env } = asFields(asFields(link).apiKey);
		return typeof env === 'string' ? [env] : [];
	});
}
