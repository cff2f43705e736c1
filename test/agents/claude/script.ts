/** Scripts of the model for tests with Claude Code. */

import type { ModelRequest } from '../mock/request.ts';
import type { ScriptedAnswer } from '../mock/server.ts';
import type { ClaudeProcess, ClaudeSession } from './session.ts';
import { mainOf } from './wire.ts';

/** Returns a call that reads a file. */
export function readingCall(path: string) {
	return { name: 'Read', args: { file_path: path } };
}

/**
 * Returns steps of the model: each has a thought and reads two documents; the last step is a sentence.
 * @param characters of each document
 * @param first the number of the first one
 */
export async function readingSteps(
	session: ClaudeSession,
	count: number,
	characters: number,
	first = 1,
): Promise<ScriptedAnswer[]> {
	const steps: ScriptedAnswer[] = [];
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

/** Lets the model read documents and the user compact. Returns the next request. */
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
