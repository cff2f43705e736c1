import { describe, expect, it } from 'vitest';
import { formatOriginal, formatRecall } from '../../client-vscode/src/text/searchText.ts';

describe('search report for a language model', () => {
	it('lists found messages with id, author, place, age and excerpt', () => {
		const match = {
			messageId: 'm7',
			role: 'tool' as const,
			toolName: 'Read',
			path: '/w/main.go',
			at: 0,
			excerpt: '…the port\nis 8080',
			visible: false,
			hiddenBy: 'c1',
			hiddenCause: 'compaction' as const,
		};
		expect(formatRecall({ matches: [match], total: 1, searched: 812 }, 'port', 7_200_000)).toBe(
			[
				'“port”: found in 1 of 812 messages.',
				'[m7] Read main.go · compacted away · 2 h ago\n…the port\nis 8080',
				'To read a message in full, call this tool with its id as the query.',
			].join('\n\n'),
		);
	});

	it('says what was searched if nothing was found', () => {
		expect(formatRecall({ matches: [], total: 0, searched: 812 }, 'zebra', 0)).toBe(
			'No message contains “zebra”. Searched the whole session: 812 messages, including what was compacted away.',
		);
	});

	it('returns a message in parts, and says how to read on', () => {
		expect(formatOriginal({ content: 'end', totalChars: 103, hasMore: false }, 100)).toBe('end');
		expect(formatOriginal({ content: 'abc', totalChars: 103, hasMore: true }, 50)).toBe(
			'abc\n\nCharacters 50 to 53 of 103. To read on, call this tool with offset 53.',
		);
	});
});
