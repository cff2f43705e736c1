/** The environment variables of a client that a daemon uses. */

import { documentedVariables } from '../core/settings/documentedVariables.ts';
import { type Fields, isFields } from '../core/shape.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables to send to the daemon: the documented ones, keys, and those that the client's settings refer
 * to as `{ env: NAME }`.
 */
export function clientEnvironment(
	environment: Variables,
	layers: readonly unknown[],
): Record<string, string> {
	const sent = documentedVariables(environment);
	for (const name of layers.flatMap(namedKeys)) {
		const value = environment[name];
		if (value !== undefined) sent[name] = value;
	}
	return sent;
}

/** Returns the names of variables that contain the keys of a chain of providers. */
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
