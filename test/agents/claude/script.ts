/** What the model does in tests with Claude Code. */

import type { ModelRequest } from '../mock/request.ts';
import type { Said } from '../mock/server.ts';
import type { ClaudeProcess, ClaudeSession } from './session.ts';
import { mainOf } from './wire.ts';

/** A call that reads a file. */
export function readingCall(path: string) {
	return { name: 'Read', args: { file_path: path } };
}

/**
 * Reads documents, two at a time, each step with a thought, and says at the end that it is done.
 * @param characters of each document
 * @param first the number of the first one
 */
export async function readingSteps(
	session: ClaudeSession,
	count: number,
	characters: number,
	first = 1,
): Promise<Said[]> {
	const steps: Said[] = [];
	for (let no = first; no < first + count; no += 2) {
		const names = [`document${no}.txt`, `document${no + 1}.txt`];
		const paths = await Promise.all(names.map((name) => session.document(name, characters)));
		steps.push({
			thinking: `What do ${names.join(' and ')} say?`,
			text: `I read ${names[0]}.`,
			calls: paths.map(readingCall),
		});
	}
	return [...steps, { text: 'All documents were read.' }];
}

/** Has documents read and room made by the user. Gives the request that follows. */
export async function readAndCompacted(
	session: ClaudeSession,
	claude: ClaudeProcess,
): Promise<ModelRequest | undefined> {
	session.mock.script(await readingSteps(session, 12, 12_000));
	await claude.say('Please read the documents.');
	await claude.say('/compact');
	session.mock.script([{ text: 'First.' }]);
	return mainOf((await claude.say('Say First.')).exchanges)[0];
}
