/** The output of a shell's call, before the model is sent it. */

import { cutToTokens, estimatedTokens } from '../core/output/cutToTokens.ts';
import { countLines } from '../core/output/textSize.ts';
import type { ShellResponse } from './hookInput.ts';

/**
 * What a call came to with outputs of at most so many estimated tokens each; undefined where nothing is to be changed.
 * @param tokens 0: nothing is cut
 * @param save keeps a whole output, and gives the path of its file
 */
export async function shortened(
	response: ShellResponse,
	tokens: number,
	save: (output: string) => Promise<string>,
): Promise<ShellResponse | undefined> {
	// What Claude Code keeps elsewhere it shows the beginning of alone, and a picture is no text.
	if (tokens <= 0 || response.isImage === true || response.persistedOutputPath !== undefined)
		return undefined;
	const [stdout, stderr] = await Promise.all(
		[response.stdout, response.stderr].map(async (output) => {
			if (output.length * 3 <= tokens || estimatedTokens(output) <= tokens) return output;
			const path = await save(output);
			const cut = cutToTokens(
				output,
				tokens,
				`[${countLines(output)} lines in all; the whole output is in ${path}]`,
			);
			return cut.length < output.length ? cut : output;
		}),
	);
	if (stdout === response.stdout && stderr === response.stderr) return undefined;
	return { ...response, stdout: stdout ?? '', stderr: stderr ?? '' };
}
