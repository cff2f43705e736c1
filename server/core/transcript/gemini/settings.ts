import { membersOf, type SettingsSource } from '../reading/settings.ts';

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
