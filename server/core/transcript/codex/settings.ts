/** What the settings of Codex say of its context. */

import type { SettingsSource } from '../reading/settings.ts';

const numbers = /^\s*(model_context_window|model_auto_compact_token_limit)\s*=\s*(\d[\d_]*)/gm;

/** The figures in the `config.toml` of Codex, as they stand before its first table; profiles are not looked into. */
export const codexSettings: SettingsSource = {
	files: [[{ variable: 'CODEX_HOME', below: ['config.toml'] }, { below: ['.codex', 'config.toml'] }]],
	read([toml = '']) {
		const table = toml.search(/^\s*\[/m);
		const own = table < 0 ? toml : toml.slice(0, table);
		const found = [...own.matchAll(numbers)].map(([, name = '', digits = '']) => [
			name,
			Number(digits.replaceAll('_', '')),
		]);
		return { settings: Object.fromEntries(found), environment: {} };
	},
};
