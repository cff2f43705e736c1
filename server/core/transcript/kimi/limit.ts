/** Where Kimi Code compacts by itself. All figures are tokens. */

import { type LimitRule, limitAt, shareOf, supposedWindow } from '../reading/limit.ts';
import { fieldsOf, firstNumber } from '../reading/values.ts';

/** The share of the window at which it compacts, and what is kept free at least, unless they are set. */
const usual = { share: 0.85, reserve: 50_000 };

/** The limit of a session of Kimi Code: 85% of the window, or 50,000 below it where that is less. */
export const kimiLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow(evidence);
	const { window } = supposed;
	const set = fieldsOf(evidence.settings?.loop_control);
	const share = (shareOf(set.compaction_trigger_ratio) ?? usual.share) * window;
	const reserve = firstNumber(set.reserved_context_size) ?? usual.reserve;
	return limitAt(supposed, reserve < window / 2 ? Math.min(share, window - reserve) : share);
};
