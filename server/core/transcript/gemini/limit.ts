/** Where Gemini CLI compacts by itself. All figures are tokens. */

import { type LimitRule, limitAt, provenWindow, shareOf, wholeWindow } from '../reading/limit.ts';
import { membersOf, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf } from '../reading/values.ts';

/** What Gemini CLI takes for the window of every model but Gemma's. */
const usualWindow = 1_048_576;
/** The share of it at which the chat is compressed before the next prompt, unless it is set. */
const usualShare = 0.5;

/** The limit of a session of Gemini CLI: half of the window, or `model.compressionThreshold` of its settings. */
export const geminiLimit: LimitRule = ({ model = '', chosenWindow, answered, settings = {} }) => {
	const isGemma = /gemma/i.test(model);
	const window = chosenWindow ?? provenWindow(isGemma ? 262_144 : usualWindow, answered);
	const supposed = { window, of: chosenWindow === undefined ? ('agent' as const) : ('setting' as const) };
	const { compressionThreshold } = fieldsOf(settings.model);
	if (compressionThreshold === 1) return wholeWindow(supposed);
	return limitAt(supposed, window * (shareOf(compressionThreshold) ?? usualShare));
};

/** The share of the window at which Gemini CLI compresses the chat. */
export const geminiSettings: SettingsSource = {
	files: [
		[
			{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', 'settings.json'] },
			{ below: ['.gemini', 'settings.json'] },
		],
		{ project: ['.gemini', 'settings.json'] },
	],
	read: (texts) => membersOf(texts, 'model', ['compressionThreshold']),
};
