import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('results of lookups', () => {
	it('a search of the web whose result is not recorded is not shown as one that found nothing', () => {
		const made = call('web_search_call', { query: 'tides of the pier' });
		const text = summaryOf([user(1, 'Find the tides.'), assistant(2, '', made), result(3, made, '')]);
		expect(text).toContain('web_search_call tides of the pier');
		expect(text).not.toContain('→ nothing');
	});

	it.each([
		['search_direct_ferry', '[]'],
		['mcp__ferries__search', ' {} '],
		['list_ferries', 'null'],
		['ferries.find', '[\n]'],
	])('shows that %s returned no results: %s', (tool, empty) => {
		const made = call(tool, { from: 'OSL', to: 'KEL', date: '2026-05-27' });
		const text = summaryOf([
			user(1, 'Find a direct ferry.'),
			assistant(2, 'I look for a direct ferry first.', made),
			result(3, made, empty),
		]);
		expect(text).toMatch(new RegExp(`${tool.replaceAll('.', '\\.')} .*→ no results`));
	});

	it.each([
		['a change that returns an empty list', 'cancel_ferry', '[]'],
		['a search that returns a list in a list', 'search_ferry', '[["K-7"]]'],
		['a command that prints an empty list', 'bash', '[]'],
		['a change whose name begins like a lookup', 'open_ticket', '{}'],
		['a search that also replaces', 'search_and_replace', '[]'],
		['a mark', 'mark_as_read', '{}'],
		['a created list', 'create_list', '[]'],
		['an updated catalogue', 'catalog_update', '{}'],
		['an empty configuration', 'get_config', '{}'],
		['a file with an empty object', 'mcp__fs__read_text_file', '{}'],
	])('does not report "no results" for %s', (_, tool, text) => {
		const made = call(tool, tool === 'bash' ? { command: 'curl -s http://h/list' } : { from: 'OSL' });
		const sources = [user(1, 'Find a ferry.'), assistant(2, 'I look.', made), result(3, made, text)];
		expect(summaryOf(sources)).not.toContain('no results');
	});

	it('shows the outcome of a call that is quoted for its names', () => {
		const made = call('lookup_berth', {
			harbour: 'Sandholm',
			berth: 'berth_12_north',
			lockName: 'lockOfTheNorth',
		});
		const text = summaryOf([
			user(1, 'Where is the berth?'),
			assistant(2, 'I look up the berth.', made),
			result(3, made, 'Error: no berth of this name', true),
		]);
		for (const line of text.split('\n').filter((each) => each.includes('lookup_berth ')))
			expect(line).toContain('→ failed: Error: no berth of this name');
		expect(text).toContain('lookup_berth ');
	});

	it('gives each of two quoted calls its own outcome', () => {
		const [first, second] = ['berth_12_north', 'berth_31_south'].map((berth) =>
			call('lookup_berth', { harbour: 'Sandholm', berth, lockName: `lockAt_${berth}` }),
		) as [ReturnType<typeof call>, ReturnType<typeof call>];
		const text = summaryOf([
			user(1, 'Where are the berths?'),
			assistant(2, 'I look up both.', first, second),
			result(3, first, 'Error: no berth of this name', true),
			result(4, second, '[]'),
		]);
		for (const line of text.split('\n').filter((each) => each.includes('lookup_berth ')))
			expect(line).toMatch(/north.*→ failed|south.*→ no results/);
		expect(text).toContain('→ failed');
		expect(text).toContain('→ no results');
	});
});

describe('short JSON results', () => {
	const text = '{\n  "booking": "QX4TLB",\n  "status": "confirmed"\n}';
	it.each<[format: string, tool: string, content: ChatMessage['content']]>([
		['text', 'book_flight', text],
		['a content part of MCP', 'mcp__air__book_flight', [{ type: 'text', text }]],
		['a line', 'bookFlight', text.replace(/\n */g, '')],
	])('keep the code of a booking with its state, from %s', (_, toolName, content) => {
		const made = call(toolName, { from: 'OSL', to: 'KEL', date: '2026-05-27' });
		const row = { seq: 3, id: 'id-3', tool: toolName, answers: made.id };
		const message: ChatMessage = { role: 'tool', toolCallId: made.id, toolName, content };
		const sources = [
			user(1, 'Book a flight.'),
			assistant(2, 'I book it.', made),
			createSource(row, { ...message, id: row.id }),
			...Array.from({ length: 40 }, (_unused, index) =>
				assistant(4 + index, `I check the weather of city ${index} first.`),
			),
		];
		const line = summaryOf(sources, 110)
			.split('\n')
			.find((one) => one.includes('QX4TLB'));
		expect(line).toContain('confirmed');
	});
});

describe('lookups of a name', () => {
	it.each([
		['find_member_by_card', 'maja_lind_4402'],
		['mcp__library__find_member', '{"result":"maja_lind_4402"}'],
		['library.lookup_member', 'maja_lind_4402\n'],
	])('are shown on one line with what they found: %s', (tool, found) => {
		const made = call(tool, { card: 'L-77120-4402' });
		const text = summaryOf([
			user(1, 'Extend my loans.'),
			assistant(2, '', made),
			result(3, made, found),
			assistant(4, 'You are verified.'),
		]);
		expect(text).toContain(`${tool} L-77120-4402 → ${found.trim()}`);
		expect(text.split('maja_lind_4402')).toHaveLength(2);
	});
});

describe('lookups of something that is missing', () => {
	it.each([
		['Claude Code', 'Bash', 'command', 'no settings folder'],
		['Codex', 'exec_command', 'cmd', 'ls: /w/quay5: No such file or directory'],
		['Gemini CLI', 'run_shell_command', 'command', '設定ファイルは存在しません'],
	])('are shown before others: %s', (_, tool, argument, answer) => {
		const piers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
		const calls = piers.map((pier) => call(tool, { [argument]: `ls /w/pier-${pier} || true` }));
		const found = (pier: string): string => (pier === 'two' ? answer : `ledger-of-${pier}`);
		const text = summaryOf(
			[
				user(1, 'Find where the settings are.'),
				...done(2, ...calls.map((made, index): [typeof made, string] => [made, found(piers[index]!)])),
			],
			120,
		);
		expect(text).toContain(`ls /w/pier-two || true → ${answer}`);
	});
});
