import { expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const removed = 'const moored = berths.filter((berth) => berth.shipAtNight);';
const kept = 'const lanterns = quays.flatMap((quay) => quay.lanternsAtNight);';
const path = '/srv/harbour/src/berths.ts';

it.each([
	['a stored result of Claude Code', '/home/me/.claude/projects/-w/tool-results/b7.txt'],
	['a diff', '/tmp/review.diff'],
	['a patch', '/srv/harbour/0001-moor.patch'],
	['the output of a task', '/tmp/claude/tasks/t1.output'],
])('a removed line is not quoted from a file with the output of a command: %s', (_, stored) => {
	const read = call('Read', { file_path: stored });
	const change = call('Edit', { file_path: path, old_string: removed, new_string: 'const moored = [];' });
	const diff = ['--- a/src/berths.ts', '+++ b/src/berths.ts', '@@ -1,2 +1,4 @@', `+${removed}`, `+${kept}`];
	const text = summaryOf([
		user(0, 'Review the change.'),
		assistant(1, '', read),
		result(2, read, diff.join('\n')),
		assistant(3, 'No ship is moored at night.', change),
		result(4, change, `The file ${path} has been updated.`),
	]);
	expect(text).toContain(kept);
	expect(text).not.toContain(removed);
});
