/** Where pi compacts by itself. All figures are tokens. */

import {
	type LimitEvidence,
	type LimitRule,
	limitAt,
	supposedWindow,
	wholeWindow,
} from '../reading/limit.ts';
import { fieldsOf, firstNumber, listOf } from '../reading/values.ts';

/** What is kept free of the window, unless it is set. */
const usualReserve = 16_384;

/**
 * The limit of a session of pi: the window less `compaction.reserveTokens` of its settings; the whole window where
 * `compaction.enabled` is off. The window is that of `models.json`, where the model is one of the user's own.
 */
export const piLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow({
		...evidence,
		statedWindow: evidence.statedWindow ?? ownModelWindow(evidence),
	});
	const { enabled, reserveTokens } = fieldsOf(evidence.settings?.compaction);
	if (enabled === false) return wholeWindow(supposed);
	return limitAt(supposed, supposed.window - (firstNumber(reserveTokens) ?? usualReserve));
};

/** The window of a model that the user added. */
function ownModelWindow({ provider = '', model, settings }: LimitEvidence): number | undefined {
	const { models } = fieldsOf(fieldsOf(settings?.providers)[provider]);
	const own = listOf(models)
		.map(fieldsOf)
		.find(({ id }) => id === model);
	return firstNumber(own?.contextWindow);
}
