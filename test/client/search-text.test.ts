import { describe, expect, it } from 'vitest';
import { createNoMatch, formatMatchCount, toMatchItem } from '../../client-vscode/src/text/searchText.ts';
import type { RecallMatch } from '../../server/protocol/history.ts';

const match: RecallMatch = { messageId: 'm', role: 'user', excerpt: 'the port is 8080', visible: true };

describe('found messages in a list', () => {
	it('an entry has the author, the place and the age of a message', () => {
		const entry = toMatchItem({ ...match, at: 1000 }, 'port', 181_000);
		expect(entry).toMatchObject({
			label: '$(account) User',
			description: 'in the window · 3 min ago',
			detail: 'the port is 8080',
		});
	});

	it.each<[string, Partial<RecallMatch>]>([
		['shortened in the window', { shortened: true }],
		['compacted away', { visible: false, hiddenBy: 'c', hiddenCause: 'compaction' }],
		['removed by a rewind', { visible: false, hiddenBy: 'r', hiddenCause: 'rewind' }],
	])('an entry says that its message is %s', (place, more) => {
		expect(toMatchItem({ ...match, ...more }, 'port', 0).description).toBe(place);
	});

	it('an entry of a recorded session names its agent and title', () => {
		const recorded = { ...match, visible: false, recordingId: 'a1', label: 'Codex', title: 'Fix $(x)' };
		expect(toMatchItem(recorded, 'port', 0).description).toBe('Codex · Fix \\$(x)');
		expect(formatMatchCount({ matches: [recorded], total: 9, searched: 812 })).toBeUndefined();
	});

	it('an entry names the tool of a result, and the file if there is one', () => {
		const result = { ...match, role: 'tool' as const, toolName: 'Read' };
		expect(toMatchItem(result, 'port', 0).label).toBe('$(tools) Read');
		expect(toMatchItem({ ...result, path: '/w/src/main.go' }, 'port', 0).label).toBe('$(tools) Read main.go');
	});

	it('an entry draws no icons that a message names', () => {
		const { detail } = toMatchItem({ ...match, excerpt: 'run $(date) now' }, 'date', 0);
		expect(detail).toBe('run \\$(date) now');
	});

	it('the title says how many messages were found, and whether all are listed', () => {
		expect(formatMatchCount({ matches: [match], total: 1, searched: 812 })).toBe(
			'found in 1 of 812 messages',
		);
		expect(formatMatchCount({ matches: [match], total: 9, searched: 812 })).toBe(
			'found in 9 of 812 messages, the best 1 are listed',
		);
	});

	it('an empty result says what was searched', () => {
		const { label, detail } = createNoMatch('$(zebra)', 812);
		expect(label).toBe('No message contains “\\$(zebra)”');
		expect(detail).toBe('Searched the whole session: 812 messages, including what was compacted away');
	});

	it('an empty result shows the beginning of a long query', () => {
		expect(createNoMatch('x'.repeat(1_000_000), 812).label).toBe(`No message contains “${'x'.repeat(100)}…”`);
	});
});
