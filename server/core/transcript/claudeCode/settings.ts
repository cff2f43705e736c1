/** What the settings of Claude Code say of its context. */

import type { Fields } from '../../shape.ts';
import type { AgentSettings } from '../reading/limit.ts';
import { fieldsOf } from '../reading/values.ts';

/**
 * The settings files of Claude Code merged, each counting over the ones before it; one that is no JSON says nothing.
 * @param texts the contents of the files, the user's own first, those of the project behind
 * @param globalConfig the text of `.claude.json`, where older versions keep `autoCompactEnabled`; it may be large
 */
export function claudeCodeSettings(texts: readonly string[], globalConfig = ''): AgentSettings {
	const settings: Fields = {};
	const environment: Record<string, string> = {};
	if (/"autoCompactEnabled"\s*:\s*false/.test(globalConfig)) settings.autoCompactEnabled = false;
	for (const text of texts) {
		const file = fieldsOf(parsed(text));
		Object.assign(settings, file);
		for (const [name, value] of Object.entries(fieldsOf(file.env))) environment[name] = String(value);
	}
	return { settings, environment };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
