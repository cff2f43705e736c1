/** Where Droid compacts by itself. All figures are tokens. */

import type { Fields } from '../../shape.ts';
import { type LimitRule, limitAt, supposedWindow, wholeWindow } from '../reading/limit.ts';
import { jsonFields, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, firstNumber } from '../reading/values.ts';

/** Where it compacts unless the user or the model says otherwise. */
const usualLimit = 250_000;

/**
 * The limit of a session of Droid: `compactionTokenLimitPerModel` or `compactionTokenLimit` of its general settings,
 * else 250,000, and never more than the window; the whole window where `compactionThresholdCheckEnabled` is off.
 */
export const droidLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow(evidence);
	const general = fieldsOf(evidence.settings?.general);
	if (general.compactionThresholdCheckEnabled === false) return wholeWindow(supposed);
	const own = fieldsOf(general.compactionTokenLimitPerModel)[evidence.model ?? ''];
	return limitAt(supposed, firstNumber(own) ?? firstNumber(general.compactionTokenLimit) ?? usualLimit);
};

/** Where compaction is due, and nothing else: keys stand beside it. */
export const droidSettings: SettingsSource = {
	files: [[{ below: ['.factory', 'settings.json'] }], { project: ['.factory', 'settings.json'] }],
	read(texts) {
		const general: Fields = {};
		for (const file of texts.map(jsonFields)) {
			const names = [
				'compactionTokenLimit',
				'compactionTokenLimitPerModel',
				'compactionThresholdCheckEnabled',
			];
			Object.assign(general, onlyFields(file, names), onlyFields(fieldsOf(file.general), names));
		}
		return { settings: Object.keys(general).length > 0 ? { general } : {}, environment: {} };
	},
};
