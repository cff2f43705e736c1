import { expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { Session } from '../../server/session/session.ts';
import { answer, call, prose, result, user } from '../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../support/world.ts';

/** Returns a call on a file, and its result. */
function touch(id: string, name: string, args: Record<string, string>): ChatMessage[] {
	return [call(`c-${id}`, [id], name, args), result(`r-${id}`, id, prose(30, id.length), { toolName: name })];
}

const talk = (name: string): ChatMessage[] => [
	...Array.from({ length: 12 }, (_, index) => answer(`${name}${index}`, prose(80, index))),
	user(`${name}-next`, 'go on'),
];

/** Returns what the summary lists of files, sorted. */
async function filesIn(session: Session): Promise<string[]> {
	const summary = (await historyOf(session)).find((message) => message.metadata?.isSummary);
	const section = /^## Files and code\n((?:- .*\n)*)/m.exec(String(summary?.content))?.[1] ?? '';
	return section.trim().split('\n').sort();
}

it.each([
	['file_path', 'Read', 'Edit'],
	['filePath', 'readFile', 'editFile'],
	['path', 'read_file', 'edit_file'],
])('successive summaries list read files apart from changed ones (%s, %s, %s)', async (field, read, edit) => {
	const world = testWorld();
	const session = await sessionWith(world, [
		user('task', 'Please mend it.'),
		...touch('1', read, { [field]: 'src/one.ts' }),
		...touch('2', edit, { [field]: 'src/one.ts', old_string: 'x', new_string: 'y' }),
		...touch('3', read, { [field]: 'src/two.ts' }),
		...talk('early'),
	]);
	const config = { recentCount: 1, keepRecentRatio: 0.05 };
	await compactNow(session, { targetTokens: 700, config });
	const more = [...touch('4', read, { [field]: 'src/three.ts' }), ...talk('late')];
	await appendMessages(session, more, 'contextd', { client: session.client });
	await compactNow(session, { targetTokens: 700, config });
	expect(await filesIn(session)).toEqual(['- changed: src/one.ts', '- read: src/three.ts, src/two.ts']);
});
