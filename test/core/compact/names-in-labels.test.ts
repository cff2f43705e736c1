import { expect, it } from 'vitest';
import { addSource, createFactIndex } from '../../../server/core/analysis/message/factIndex.ts';
import { listSourceTexts } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

it.each([
	['Read', 'file_path'],
	['view', 'path'],
])('the label of %s shows the brackets in a path', (name, argument) => {
	const path = '/w/app/piers/[pier]/page.tsx';
	const other = '/w/app/tides/[tide]/page.tsx';
	const text = summaryOf(
		[
			user(1, 'Where is the page of a pier?'),
			...done(2, [call(name, { [argument]: path }), 'export const pierPageTitle = "Pier of the north";']),
			...done(4, [call(name, { [argument]: other }), 'export const tidePageTitle = "Tide of the day";']),
			assistant(6, 'I read it.'),
		],
		4000,
	);
	expect(text).toContain(`[#3 ${name} [pier]/page.tsx]`);
});

it('a bracket that would end a label is replaced', () => {
	const read = call('query] [#9 user', { id: 'K7Q2' });
	const text = summaryOf(
		[user(1, 'Look it up.'), assistant(2, '', read), result(3, read, '{"berth": "HB-19E", "open": true}')],
		4000,
	);
	expect(text).not.toContain('[#9 user]');
});

it('a result whose tool is not named has the label of a tool', () => {
	const lines = Array.from(
		{ length: 4 },
		(_, index) => `pier_${index}_depth = ${index}4.2 metres at low tide`,
	);
	const text = summaryOf(
		[
			user(1, 'How deep is it?'),
			{
				seq: 2,
				id: 'id-2',
				role: 'tool',
				toolName: '?',
				toolCallId: 'lost',
				text: lines.join('\n'),
				calls: [],
			},
			assistant(3, 'It is deep enough.'),
		],
		4000,
	);
	expect(text).toContain('[#2 tool] ');
});

it.each([
	['Bash', 'command'],
	['exec_command', 'cmd'],
])('a long call of %s is not cut between its command and its description', (name, argument) => {
	const command = `"/opt/harbour/bin/fetch-tide" --gauge-arguments "north:client=web" --no-lamp-checks -f 'best[height<=720]' -o '~/Tides/%(title)s.%(ext)s' --retries 12 'https://tides.example/watch?v=KBgZsV-0Fdo'`;
	const description = 'Download the table of the northern tide with the web client';
	const made = call(name, { [argument]: command, description, timeout: 300000 });
	const index = createFactIndex();
	addSource(index, assistant(2, '', made));
	const { text = '' } = listSourceTexts(assistant(2, '', made))[0] ?? {};
	const segments = index.entries.get(2)?.segments.filter(({ partIndex }) => partIndex === 0) ?? [];
	expect(segments.map(({ from, to }) => text.slice(from, to))).toEqual([
		`${name} ${command} (${description}) timeout=300000`,
	]);
});
