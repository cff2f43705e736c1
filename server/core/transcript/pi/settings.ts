/** What the settings of pi say of its context. */

import type { Fields } from '../../shape.ts';
import { jsonFields, membersOf, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, listOf } from '../reading/values.ts';

/** The reserve, and the windows of the models that the user added. */
export const piSettings: SettingsSource = {
	files: [piFile('models.json'), piFile('settings.json'), { project: ['.pi', 'settings.json'] }],
	read([models = '', ...texts]) {
		const { settings, environment } = membersOf(texts, 'compaction', ['enabled', 'reserveTokens']);
		const providers = windowsOf(fieldsOf(jsonFields(models).providers));
		return {
			settings: { ...settings, ...(Object.keys(providers).length > 0 && { providers }) },
			environment,
		};
	},
};

function piFile(name: string) {
	return [{ variable: 'PI_CODING_AGENT_DIR', below: [name] }, { below: ['.pi', 'agent', name] }];
}

/** Of each provider its models' windows alone: keys stand beside them. */
function windowsOf(providers: Fields): Fields {
	return Object.fromEntries(
		Object.entries(providers).map(([name, provider]) => {
			const models = listOf(fieldsOf(provider).models).map((model) =>
				onlyFields(fieldsOf(model), ['id', 'contextWindow']),
			);
			return [name, { models }];
		}),
	);
}
