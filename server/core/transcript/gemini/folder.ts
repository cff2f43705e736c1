import type { FolderLocation } from '../reading/locations.ts';

/** Returns a folder inside that of Gemini CLI, which other Google programs also use. */
export function createGeminiFolder(...below: string[]): FolderLocation {
	return [{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', ...below] }, { below: ['.gemini', ...below] }];
}
