/** What the settings of OpenCode say of its context. */

import type { Fields } from '../../shape.ts';
import { jsonFields, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf } from '../reading/values.ts';

/** The reserve, and the limits of the models that the user set. */
export const openCodeSettings: SettingsSource = {
	files: [
		[
			{ variable: 'XDG_CONFIG_HOME', below: ['opencode', 'opencode.json'] },
			{ below: ['.config', 'opencode', 'opencode.json'] },
		],
		{ project: ['opencode.json'] },
		{ project: ['.opencode', 'opencode.json'] },
	],
	read(texts) {
		const compaction: Fields = {};
		const provider: Fields = {};
		for (const file of texts.map(jsonFields)) {
			Object.assign(compaction, onlyFields(fieldsOf(file.compaction), ['auto', 'reserved']));
			for (const [name, held] of Object.entries(fieldsOf(file.provider)))
				provider[name] = { models: limitsOf(fieldsOf(fieldsOf(held).models)) };
		}
		return { settings: onlyFilled({ compaction, provider }), environment: {} };
	},
};

/** Of each model its limits alone: keys stand beside them. */
function limitsOf(models: Fields): Fields {
	return Object.fromEntries(
		Object.entries(models).map(([id, model]) => [id, onlyFields(fieldsOf(model), ['limit'])]),
	);
}

function onlyFilled(fields: Readonly<Record<string, Fields>>): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([, held]) => Object.keys(held).length > 0));
}
