/** The point at which Kimi Code compacts. All figures are tokens. */

import { assumedWindow, type LimitEvidence, type LimitRule, limitAt, shareOf } from '../reading/limit.ts';
import { pickFields, type SettingsSource, tomlTables } from '../reading/settings.ts';
import { fieldsOf, firstNumber, firstText } from '../reading/values.ts';

/** Default share of the window at which it compacts, and default minimum that is kept free. */
const defaults = { share: 0.85, reserve: 50_000 };

/**
 * The limit of a Kimi Code session: 85% of the window, or 50,000 below it if that is less. The window
 * of a model that its settings list is `max_context_size`.
 */
export const kimiLimit: LimitRule = (evidence) => {
	const supposed = assumedWindow({
		...evidence,
		statedWindow: evidence.statedWindow ?? setWindow(evidence),
	});
	const { window } = supposed;
	const set = fieldsOf(evidence.settings?.loop_control);
	const share = (shareOf(set.compaction_trigger_ratio) ?? defaults.share) * window;
	const reserve = firstNumber(set.reserved_context_size) ?? defaults.reserve;
	return limitAt(supposed, reserve < window / 2 ? Math.min(share, window - reserve) : share);
};

/** The window that the user set for the model. */
function setWindow({ model = '', settings }: LimitEvidence): number | undefined {
	return firstNumber(fieldsOf(fieldsOf(settings?.models)[model]).max_context_size);
}

/** Loop settings of `config.toml`, and the windows of models by the names that providers use. */
export const kimiSettings: SettingsSource = {
	files: [[{ variable: 'KIMI_CODE_HOME', below: ['config.toml'] }, { below: ['.kimi-code', 'config.toml'] }]],
	read([toml = '']) {
		const tables = [...tomlTables(toml)];
		const models = tables.flatMap(([name, table]) => {
			const model = firstText(table.model);
			const isModel = name.startsWith('models.') && model !== undefined;
			return isModel ? [[model, pickFields(table, ['max_context_size'])] as const] : [];
		});
		const loop = tables.find(([name]) => name === 'loop_control')?.[1] ?? {};
		return {
			settings: {
				loop_control: pickFields(loop, ['compaction_trigger_ratio', 'reserved_context_size']),
				models: Object.fromEntries(models),
			},
			environment: {},
		};
	},
};
