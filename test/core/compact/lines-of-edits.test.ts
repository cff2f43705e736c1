import { expect, it } from 'vitest';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const writeLines = (write: (index: number) => string): string[] =>
	Array.from({ length: 20 }, (_, index) => write(index));
const written = writeLines((index) => `\t// for the berthPlan${index} and quays${index}`);
const printed = writeLines(
	(index) => `cranePlan${index} = craneOf${index} + quay${index}a + dockWall${index} + tideGate${index};`,
);
const patch = `*** Begin Patch\n*** Update File: /srv/berths.ts\n@@\n-\treturn [];\n${written.map((line) => `+${line}`).join('\n')}\n*** End Patch`;

it.each([
	[
		'Claude Code',
		call('Edit', { file_path: '/srv/berths.ts', old_string: '\treturn [];', new_string: written.join('\n') }),
	],
	['Codex', call('apply_patch', { input: patch })],
])('a summary prefers lines that an edit of %s wrote to lines that a command printed', (_, edit) => {
	const planning = call('Bash', { command: 'npm run plan' });
	const talk = Array.from({ length: 120 }, (_, index) =>
		assistant(10 + index, `Harbour ${index} is closed because the storm number ${index} broke its pier.`),
	);
	const newest = call('Edit', {
		file_path: '/srv/berths.ts',
		old_string: '// No plan yet.',
		new_string: '// The berths are planned by the quay.',
	});
	const sources = [
		user(1, 'Plan the berths like the cranes.'),
		...done(2, [edit]),
		...talk,
		assistant(200, '', planning),
		result(201, planning, printed.join('\n')),
		...done(202, [newest]),
		assistant(204, 'The berths are planned.'),
	];
	expect(summaryOf(sources, 700)).toContain('berthPlan');
});
