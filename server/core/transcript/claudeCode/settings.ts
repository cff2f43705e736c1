/** What the settings of Claude Code say of its context. */

import type { Fields } from '../../shape.ts';
import { jsonFields, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf } from '../reading/values.ts';

const settingNames = ['autoCompactEnabled', 'autoCompactWindow'];
const variableNames = [
	'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE',
	'CLAUDE_CODE_AUTO_COMPACT_WINDOW',
	'CLAUDE_CODE_DISABLE_1M_CONTEXT',
	'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
	'DISABLE_AUTO_COMPACT',
	'DISABLE_COMPACT',
];

/** The user's settings and those of the project, each over the ones before it; one that is no JSON says nothing. */
export const claudeCodeSettings: SettingsSource = {
	files: [
		// Where older versions keep `autoCompactEnabled`; it may be large.
		[{ variable: 'CLAUDE_CONFIG_DIR', below: ['.claude.json'] }, { below: ['.claude.json'] }],
		[{ variable: 'CLAUDE_CONFIG_DIR', below: ['settings.json'] }, { below: ['.claude', 'settings.json'] }],
		{ project: ['.claude', 'settings.json'] },
		{ project: ['.claude', 'settings.local.json'] },
	],
	variables: variableNames,
	read([globalConfig = '', ...texts]) {
		const settings: Fields = {};
		const environment: Record<string, string> = {};
		if (/"autoCompactEnabled"\s*:\s*false/.test(globalConfig)) settings.autoCompactEnabled = false;
		for (const text of texts) {
			const file = jsonFields(text);
			Object.assign(settings, onlyFields(file, settingNames));
			for (const [name, value] of Object.entries(onlyFields(fieldsOf(file.env), variableNames)))
				environment[name] = String(value);
		}
		return { settings, environment };
	},
};
