/** Where Kimi Code compacts by itself. All figures are tokens. */

import { type LimitEvidence, type LimitRule, limitAt, shareOf, supposedWindow } from '../reading/limit.ts';
import { onlyFields, type SettingsSource, tomlTables } from '../reading/settings.ts';
import { fieldsOf, firstNumber, firstText } from '../reading/values.ts';

/** The share of the window at which it compacts, and what is kept free at least, unless they are set. */
const usual = { share: 0.85, reserve: 50_000 };

/**
 * The limit of a session of Kimi Code: 85% of the window, or 50,000 below it where that is less. The window is
 * `max_context_size` of its settings, where the model stands there.
 */
export const kimiLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow({
		...evidence,
		statedWindow: evidence.statedWindow ?? setWindow(evidence),
	});
	const { window } = supposed;
	const set = fieldsOf(evidence.settings?.loop_control);
	const share = (shareOf(set.compaction_trigger_ratio) ?? usual.share) * window;
	const reserve = firstNumber(set.reserved_context_size) ?? usual.reserve;
	return limitAt(supposed, reserve < window / 2 ? Math.min(share, window - reserve) : share);
};

/** The window that the user gave the model. */
function setWindow({ model = '', settings }: LimitEvidence): number | undefined {
	return firstNumber(fieldsOf(fieldsOf(settings?.models)[model]).max_context_size);
}

/** What `config.toml` says of the loop, and the windows of the models, by the names that providers know them by. */
export const kimiSettings: SettingsSource = {
	files: [[{ variable: 'KIMI_CODE_HOME', below: ['config.toml'] }, { below: ['.kimi-code', 'config.toml'] }]],
	read([toml = '']) {
		const tables = [...tomlTables(toml)];
		const models = tables.flatMap(([name, table]) => {
			const model = firstText(table.model);
			const isModel = name.startsWith('models.') && model !== undefined;
			return isModel ? [[model, onlyFields(table, ['max_context_size'])] as const] : [];
		});
		const loop = tables.find(([name]) => name === 'loop_control')?.[1] ?? {};
		return {
			settings: {
				loop_control: onlyFields(loop, ['compaction_trigger_ratio', 'reserved_context_size']),
				models: Object.fromEntries(models),
			},
			environment: {},
		};
	},
};
