import type { FolderLocation } from '../reading/locations.ts';

/** Returns a folder inside the folder of Gemini CLI, which other Google programs share. */
export function createGeminiFolder(...below: string[]): FolderLocation {
	return [{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', ...below] }, { below: ['.gemini', ...below] }];
}
