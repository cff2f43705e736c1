import type { Place } from '../reading/home.ts';

/** A folder in that of Gemini CLI, which other programs of Google use too. */
export function geminiFolder(...below: string[]): Place {
	return [{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', ...below] }, { below: ['.gemini', ...below] }];
}
