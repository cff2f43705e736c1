import { expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const bash = (command: string) => call('Bash', { command });
const write = call('Write', {
	file_path: '/srv/pier/berth.ts',
	content: "import { tide } from './tide.ts';\n\nexport const spans = {\n  s: 1,\n  m: 60,\n  h: 3600,\n};\n",
});

it.each([
	['rm -rf /srv/pier', false],
	['rm /srv/pier/berth.ts', false],
	['ls /srv/pier', true],
])('not even short lines of a file are quoted if it was removed: %s', (command, isShown) => {
	const text = summaryOf(
		[
			user(1, 'Measure the spans.'),
			...done(2, [write, 'File created'], [bash(command), '']),
			assistant(6, 'Done.'),
		],
		4000,
	);
	expect(text.includes('h: 3600')).toBe(isShown);
});
