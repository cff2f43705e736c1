import { describe, expect, it } from 'vitest';
import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import { collectCandidates } from '../../../server/core/analysis/passages/candidates.ts';
import { findSentences } from '../../../server/core/analysis/text/sentences.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const textsOf = (text: string): string[] => findSentences(text).map((sentence) => sentence.text);

describe('lines that introduce the next one', () => {
	it('an introducing line is joined with the line below it', () => {
		expect(
			textsOf(
				'The fix has two parts:\n\n- The parser reads whole lines.\n- The writer waits for the parser.',
			),
		).toEqual([
			'The fix has two parts:\n- The parser reads whole lines.',
			'- The writer waits for the parser.',
		]);
		expect(textsOf('理由は次のとおりです：\n- 索引が行ごとに作られるため遅くなる。')).toHaveLength(1);
	});

	it('an introducing line is joined with the first line of code below it, and lines of code introduce none', () => {
		expect(textsOf('Start it with a trace:\n```\nTRACE=out ./serve\nports:\n  - 8080\n```')).toEqual([
			'Start it with a trace:\nTRACE=out ./serve',
			'ports:',
			'- 8080',
		]);
	});

	it('an introducing line stays separate if the next one is long', () => {
		const long = 'The importer reads every row of the ledger again and again '.repeat(6).slice(0, 315);
		expect(textsOf(`The cause:\n${long}`)[0]).toBe('The cause:');
	});

	it.each([
		'That is the whole cause: Nobody had looked at the second index of the rows.',
		'The wrapper takes exactly the option that is needed: `make bundle JOBS=1` starts a single worker.',
		'Das ist die ganze Ursache: Niemand hatte den zweiten Index der Zeilen angesehen.',
	])('a clause with a colon is joined with what follows it: %s', (line) => {
		expect(textsOf(line)).toEqual([line]);
	});

	it("an item's label is joined with its own line only", () => {
		const items =
			'- **Current cabin**: Business, in all of the six reservations\n- Release: Only after the audit of May';
		expect(textsOf(items)).toEqual(items.split('\n'));
		expect(textsOf(`Here are the details:\n${items}`)[0]).toBe(
			'Here are the details:\n- **Current cabin**: Business, in all of the six reservations',
		);
	});

	it('an introducing line and the next one are scored together, weighted by length', () => {
		const [whole] = findSentences('I had a look at it:\n- It fails because the index is missing.');
		const [alone] = findSentences('I had a look at it:');
		expect(whole?.score).toBeGreaterThan(alone?.score ?? Number.POSITIVE_INFINITY);
	});

	it('an introducing line and the next one become one candidate', () => {
		const sources = [assistant(1, 'What is left to do:\n1. Write the notes.')];
		const cache = createAnalysisCache();
		const placed = runToEnd(
			collectCandidates(sources, {
				outcomes: runToEnd(collectOutcomes(sources, cache)),
				undone: new Map(),
				unread: new Set(),
				cache,
			}),
		);
		expect(placed.map(({ candidate }) => candidate.text)).toEqual([
			'What is left to do:\n1. Write the notes.',
		]);
	});
});

describe('announcements of calls that a summary does not show', () => {
	const finding = 'The harbour index is missing in the ledger because nobody added it.';
	const todos = [{ content: 'Add the index', status: 'pending' }];

	/** Returns the summary of a message with a text and a call. */
	function announced(words: string, name: string, args: unknown, output: string, failed = false): string {
		const made = call(name, args);
		const after = assistant(4, 'The ferry desk opens at seven, and it closes at nine.');
		const sources = [assistant(2, `${finding} ${words}`, made), result(3, made, output, failed), after];
		return summaryOf([user(1, 'Go on.'), ...sources]);
	}

	it('an announced change that failed is not shown as done', () => {
		const text = announced('I ask for a seat:', 'book_seat', { ids: [1] }, 'Error: no seat is left', true);
		expect(text).toContain('→ failed: Error: no seat is left');
		expect(text).not.toContain('done');
	});

	it.each([
		['before a block of code', 'The configuration of the desk has to be as follows:\n```json\n{\n}\n```'],
		['within a Japanese statement', '結論：港の台帳に索引が欠けているため、席を予約できません'],
	])('a statement with a colon %s announces no call', (_, words) => {
		const made = call('TodoWrite', { todos });
		const sources = [
			user(1, 'Go on.'),
			assistant(2, words, made),
			result(3, made, 'Todos have been modified.'),
		];
		const text = summaryOf([...sources, assistant(4, 'The ferry desk opens at seven.')]);
		expect(text).toContain(words.split('\n')[0]);
		expect(text).not.toContain('→');
	});

	it('the announcement of a query that its answer shows is left out, unlike the finding before it', () => {
		const text = announced('Let me look up the booking first:', 'get_booking', { id: 'L-901' }, 'none');
		const [rows] = [
			{ id: 'L-901', lines: ['L-901: seats 2'], parent: '', fields: { seats: 2 }, memberLines: [] },
		];
		const made = call('get_booking', { id: 'L-901' });
		const sources = [
			user(1, 'Go on.'),
			assistant(2, `${finding} Let me look up the booking first:`, made),
			{ ...result(3, made, 'L-901: seats 2'), rows: [rows] },
			assistant(4, 'The ferry desk opens at seven.'),
		];
		expect(text).toContain('get_booking');
		expect(summaryOf(sources)).toContain(finding);
		expect(summaryOf(sources)).not.toContain('Let me look up');
	});

	it.each([
		[
			'an announcement of a file that is read is left out',
			'Now let me read the ledger of the harbour:',
			false,
		],
		[
			'an announcement without a colon is left out if its calls only read',
			'Let me check how the ledger of the harbour counts berths.',
			false,
		],
		[
			'a Japanese announcement is left out if its calls only read',
			'次に、港の台帳が停泊位置を数える方法を確認します。',
			false,
		],
		[
			'a plan of a change stays if its calls only read',
			'I will give each berth in the ledger its own lock.',
			true,
		],
		[
			'a finding before a file that is read stays',
			'The lock of the ledger is missing, let me verify it:',
			true,
		],
	])('%s', (_, words, isShown) => {
		const read = call('Read', { file_path: '/srv/harbour/ledger.ts' });
		const sources = [assistant(2, words, read), result(3, read, 'export const berths = 12;')];
		const text = summaryOf([user(1, 'Go on.'), ...sources, assistant(4, 'The ferry desk opens at seven.')]);
		expect(text.includes(words.slice(0, 20))).toBe(isShown);
	});
});
