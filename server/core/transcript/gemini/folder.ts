import type { FolderPlace } from '../reading/home.ts';

/** Returns a folder inside that of Gemini CLI, which other Google programs also use. */
export function geminiFolder(...below: string[]): FolderPlace {
	return [{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', ...below] }, { below: ['.gemini', ...below] }];
}
