import { membersOf, type SettingsSource } from '../reading/settings.ts';

/** The share of the window at which Qwen Code compresses the chat. */
export const qwenSettings: SettingsSource = {
	files: [
		[{ variable: 'QWEN_HOME', below: ['settings.json'] }, { below: ['.qwen', 'settings.json'] }],
		{ project: ['.qwen', 'settings.json'] },
	],
	read: (texts) => membersOf(texts, 'model', ['chatCompression']),
};
