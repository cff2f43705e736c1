import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const sentences = [
	'The tile server takes 6.04 GB of memory, and 1.5 GB are wanted.',
	'Unsafe code stays out of the crate, and the format of tiles is frozen.',
	'An allocator of its own was tried, which took 5.71 GB.',
	'The bench replays the trace of July, which lasts for two minutes.',
	'Two tiers are planned: hot tiles stay plain, and cold ones are packed.',
	'The users of the map in Norway notice any tile that is late.',
	'Deployments go to one of the four hosts first, then to all others.',
].join(' ');

describe('recaps in a small summary', () => {
	it("an earlier compaction's recap is preferred to most of what the agent said later", () => {
		const work = Array.from({ length: 12 }, (_, index) =>
			assistant(
				2 + index,
				`Module ${index} reads its ${index + 3} tables in order, and the writer waits for it.`,
			),
		);
		const text = summaryOf([{ ...user(1, sentences), isInjected: true, isRecap: true }, ...work], 230);
		expect(sentences.split('. ').filter((sentence) => text.includes(sentence)).length).toBeGreaterThan(3);
	});

	const recap = (step: string) => ({
		...user(
			1,
			`This session is being continued from a previous conversation.\n8. Current Work:\n   Tiles.\n${step}`,
		),
		isInjected: true,
		isRecap: true,
	});
	const next = (...sources: Parameters<typeof summaryOf>[0]) =>
		/^Next: .*$/m.exec(summaryOf([...sources], 3000))?.[0];

	it.each(['9. Optional Next Step:\n   Pack the cold tiles.', '## Next Steps\nPack the cold tiles.'])(
		'the next step is that of an earlier summary until the agent ends a turn: %j',
		(step) => {
			const pack = call('Bash', { command: 'pack --cold' });
			expect(next(recap(step), assistant(2, 'I look at the tiles.', pack))).toBe(
				'Next: Pack the cold tiles. (#1)',
			);
			expect(next(recap(step), assistant(2, 'All tiles are packed.'))).toBeUndefined();
			expect(next(recap(step), assistant(2, '', pack), user(3, 'Stop packing.'))).toBeUndefined();
		},
	);

	it.each(['None. All tiles are packed.', '- [x] Pack the tiles.', 'The next steps are:'])(
		'a line without an open step is no next step: %s',
		(line) => {
			const pack = call('Bash', { command: 'pack --cold' });
			expect(next(recap(`9. Optional Next Step:\n   ${line}`), assistant(2, '', pack))).toBeUndefined();
		},
	);

	it('a summary says that an earlier summary below it is older than its newest lines', () => {
		const recap = { ...user(3, sentences), isInjected: true, isRecap: true };
		const work = [
			assistant(2, 'The tiles are read twice.'),
			assistant(4, 'The allocator of the crate was removed again.'),
		];
		const note = 'The summary in #3, which follows, is older than what is said here of later messages.';
		expect(summaryOf(work, 400, { visible: [recap] })).toContain(note);
		expect(summaryOf(work.slice(0, 1), 400, { visible: [recap] })).not.toContain('which follows');
	});

	it.each([
		[
			'Claude Code',
			'Summary:\n1. Primary Request and Intent:\n   The user packs the tiles.\n\n2. Files:\n   - tiles.rs',
		],
		['pi and OpenCode', '## Goal\nThe user packs the tiles.\n\n## Progress\n- none'],
		['Gemini CLI', '<overall_goal>\n    The user packs the tiles.\n</overall_goal>\n<key_knowledge>'],
		['a label', 'We worked on the map.\n**Goal:** The user packs the tiles.'],
		[
			'a list of events',
			'Analysis:\n1. It began with a map.\n2. Main request: The user packs the tiles.\n3. Done',
		],
		['bold titles', "1. **User's main request:** The user packs the tiles."],
		['Chinese', '## 目标\n- The user packs the tiles.'],
	])('the goal is that of an earlier summary: %s', (_, recap) => {
		const sources = [
			{ ...user(1, recap), isInjected: true, isRecap: true },
			user(2, 'Now the second tier.'),
			assistant(3, 'The tiles are packed.'),
		];
		expect(summaryOf(sources)).toMatch(
			/^Goal \(#1\): The user packs the tiles\.\nCurrent request \(#2\): Now the/,
		);
	});

	it('the goal is the first request if an earlier summary follows it, or states none', () => {
		const recap = { ...user(2, '## Goal\nThe user packs the tiles.'), isInjected: true, isRecap: true };
		expect(summaryOf([user(1, 'Draw the map.'), recap, user(3, 'Go on.')])).toContain(
			'Goal (#1): Draw the map.',
		);
		const silent = { ...user(1, `The task was hard. ${sentences}`), isInjected: true, isRecap: true };
		expect(summaryOf([silent, user(2, 'Draw the map.'), user(3, 'And the sea.')])).toContain(
			'Goal at the start (#2): Draw',
		);
	});

	it('the goal of a session that begins with a result is that of the first summary', () => {
		const recap = { ...user(3, '## Goal\nPack the tiles.'), isInjected: true, isRecap: true };
		const ls = call('Bash', { command: 'ls' });
		const sources = [user(2, 'The north is still missing.'), recap, user(4, 'Go on with the sea.')];
		expect(summaryOf([result(1, ls, 'north.rs'), ...sources])).toContain('Goal (#3): Pack the tiles.');
		expect(summaryOf(sources)).toContain('Goal at the start (#2): The north');
	});

	it('a wish in the first sentences of a summary is the goal if no title names one', () => {
		const open = (text: string): Source[] => [
			{ ...user(1, text), isInjected: true, isRecap: true },
			user(2, 'Draw the sea.'),
			user(3, 'And the north.'),
		];
		const wish = 'The user wants to pack the tiles of the map.';
		expect(summaryOf(open(`We worked.\n${wish}`))).toContain(`Goal (#1): ${wish}`);
		expect(summaryOf(open(`${'The map was read. '.repeat(40)}\n${wish}`))).not.toContain('Goal (#1)');
	});

	it('a goal far below the start of an earlier summary is stated whole', () => {
		const recap = `Analysis:\n${'The map was read. '.repeat(160)}\n## Goal\nThe user packs the tiles of ${'the north, '.repeat(8)}and the south.`;
		const text = summaryOf([
			{ ...user(1, recap), isInjected: true, isRecap: true },
			user(2, 'Now the second tier.'),
			assistant(3, 'The tiles are packed.'),
		]);
		expect(text).toMatch(/^Goal \(#1\): The user packs the tiles of (?:the north, ){8}and the south\.\n/);
	});

	const parts = {
		done: 'The cold tier is compressed with seven bits.',
		error: '- **Current error**: the packer reports a missing table of 4096 tiles.',
		pending: 'The writer still waits for a table of coasts.',
		work: 'The allocator was being replaced in packer.rs.',
		next: 'Run the bench of July with two tiers.',
	};
	const recapOf = (title: (name: string, index: number) => string): string =>
		[
			title('Key Concepts', -1),
			sentences,
			title('Problem Solving', 0),
			parts.done,
			parts.error,
			title('Pending Tasks', 1),
			parts.pending,
			title('Current Work', 2),
			parts.work,
			title('Next Steps', 3),
			parts.next,
		].join('\n');

	it.each([
		['numbers', (name: string, index: number) => `${index + 2}. ${name}:`],
		['headings', (name: string) => `## ${name}`],
	])('work that an earlier summary calls current is left out after the turn has ended: %s', (_, title) => {
		const recap = { ...user(1, recapOf(title)), isInjected: true, isRecap: true };
		const work = assistant(2, 'The packer writes both tiers, and the bench of August is ready.');
		const before = summaryOf([recap, work]);
		const more = Array.from({ length: 45 }, (_, index) => assistant(3 + index, `Tier ${index} is packed.`));
		expect(summaryOf([recap, work, ...more])).not.toContain(parts.work);
		const after = summaryOf([
			recap,
			work,
			user(3, 'Good. Draw the rivers.'),
			assistant(4, 'They are drawn.'),
		]);
		for (const part of Object.values(parts)) expect(before).toContain(part.replace(/^- /, ''));
		expect(after).toContain(parts.done);
		for (const part of [parts.error, parts.pending, parts.work, parts.next])
			expect(after).not.toContain(part.replace(/^- /, ''));
	});

	it('what an agent writes around its own summary is left out', () => {
		const opening = 'This session is being continued from a previous conversation that ran out of context.';
		const ending = 'Continue with the last task that you were asked to work on.';
		const recap = { ...user(1, `${opening}\n${sentences}\n${ending}`), isInjected: true, isRecap: true };
		const text = summaryOf([recap, assistant(2, 'The tiles are packed.')]);
		expect(text).toContain('hot tiles stay plain');
		expect(text).not.toContain('ran out of context');
		expect(text).not.toContain('last task');
	});
});

describe('the summary that Codex hands over', () => {
	const handover =
		'Another language model started to solve this problem and produced a summary of its thinking process. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary:\n\n';

	it('its introduction is no rule of the user, and its text is a recap', () => {
		const row = { seq: 1, id: 'id-1' };
		const message = { id: 'id-1', role: 'user', content: `${handover}${sentences}` } as const;
		const text = summaryOf([createSource(row, message), assistant(2, 'I go on with the tiles.')], 600);
		expect(text).toContain('[#1 recap]');
		expect(text).not.toContain('avoid duplicating work');
		expect(text).toContain('Unsafe code stays out of the crate');
	});
});
