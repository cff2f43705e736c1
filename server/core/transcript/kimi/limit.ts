/** Computes the point at which Kimi Code compacts. All figures are tokens. */

import { asFields, firstNumber, firstText } from '../../values.ts';
import { assumeWindow, createLimit, type LimitRule, readShare } from '../reading/limit.ts';
import { createLocation } from '../reading/locations.ts';
import { parseTomlTables, pickFields, type SettingsSource } from '../reading/settings.ts';

/** Default share of the window at which Kimi Code compacts, and default tokens that it keeps free. */
const defaultLimits = { share: 0.85, reserve: 50_000 };

/**
 * The limit of a Kimi Code session: 85% of the window, or 50,000 below it if that is less. Models in the settings have
 * the window `max_context_size`.
 */
export const kimiLimit: LimitRule = (evidence) => {
	const { models, loop_control } = evidence.settings ?? {};
	const userWindow = firstNumber(asFields(asFields(models)[evidence.model ?? '']).max_context_size);
	const assumedWindow = assumeWindow(evidence, userWindow);
	const { window } = assumedWindow;
	const loopSettings = asFields(loop_control);
	const share = (readShare(loopSettings.compaction_trigger_ratio) ?? defaultLimits.share) * window;
	const reserve = firstNumber(loopSettings.reserved_context_size) ?? defaultLimits.reserve;
	return createLimit(assumedWindow, reserve < window / 2 ? Math.min(share, window - reserve) : share);
};

/** Loop settings of `config.toml`, and the windows of models by the names that providers use. */
export const kimiSettings: SettingsSource = {
	files: [createLocation('KIMI_CODE_HOME', ['.kimi-code'], 'config.toml')],
	read([toml = '']) {
		const tables = [...parseTomlTables(toml)];
		const models = tables.flatMap(([name, table]) => {
			const model = firstText(table.model);
			const isModel = name.startsWith('models.') && model !== undefined;
			return isModel ? [[model, pickFields(table, ['max_context_size'])] as const] : [];
		});
		const loopTable = tables.find(([name]) => name === 'loop_control')?.[1] ?? {};
		return {
			settings: {
				loop_control: pickFields(loopTable, ['compaction_trigger_ratio', 'reserved_context_size']),
				models: Object.fromEntries(models),
			},
		};
	},
};
