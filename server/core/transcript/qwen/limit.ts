/** Where Qwen Code compacts by itself. All figures are tokens. */

import { type LimitRule, limitAt, shareOf, supposedWindow } from '../reading/limit.ts';
import { membersOf, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf } from '../reading/values.ts';

/** The share of the window at which the chat is compressed, and what is kept free for the summary and besides. */
const usual = { share: 0.85, answer: 20_000, buffer: 13_000 };

/**
 * The limit of a session of Qwen Code: 85% of the window, or `chatCompression.contextPercentageThreshold` of its
 * settings, but no less than 33,000 below the window, where it is larger than that.
 */
export const qwenLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow(evidence);
	const { window } = supposed;
	const { settings = {} } = evidence;
	const set = fieldsOf(fieldsOf(settings.model).chatCompression ?? settings.chatCompression);
	const share = (shareOf(set.contextPercentageThreshold) ?? usual.share) * window;
	const most = window - usual.answer - usual.buffer;
	return limitAt(supposed, most > 0 ? Math.min(share, most) : share);
};

/** The share of the window at which Qwen Code compresses the chat. */
export const qwenSettings: SettingsSource = {
	files: [
		[{ variable: 'QWEN_HOME', below: ['settings.json'] }, { below: ['.qwen', 'settings.json'] }],
		{ project: ['.qwen', 'settings.json'] },
	],
	read: (texts) => membersOf(texts, 'model', ['chatCompression']),
};
