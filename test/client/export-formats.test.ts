import { describe, expect, it } from 'vitest';
import {
	endingOf,
	fileNameOf,
	formatChoices,
	startHint,
} from '../../client-vscode/src/commands/exportFile.ts';
import { exportFormats } from '../../server/core/transcript/write/file.ts';

describe('the export of a history', () => {
	it('offers every format that the daemon writes', () => {
		expect(new Set(Object.keys(formatChoices))).toEqual(new Set(exportFormats));
	});

	it('names files after what is in them, and a session of Claude Code after its id', () => {
		expect(fileNameOf('claude-code', 'a-b')).toBe('a-b.jsonl');
		expect(fileNameOf('pi', 'a-b')).toBe('compacted-history.pi.jsonl');
		expect(fileNameOf('anthropic', undefined)).toBe('compacted-history.anthropic.json');
		expect(endingOf('contextd')).toBe('jsonl');
	});

	it('says how an agent goes on from it', () => {
		const claude = { format: 'claude-code', agentSessionId: 'a-b', path: 'a-b.jsonl' } as const;
		expect(startHint(claude)).toMatch(/below ~\/\.claude\/projects, then: claude --resume a-b/);
		const beside = '/home/me/.claude/projects/-home-me-project/c-d.jsonl';
		expect(startHint({ ...claude, beside })).toBe(
			'Put it into /home/me/.claude/projects/-home-me-project, then: claude --resume a-b',
		);
		expect(startHint({ format: 'pi', path: 'a.jsonl' })).toContain('pi --session a.jsonl');
		expect(startHint({ format: 'pi', path: 'my work/a.jsonl' })).toContain('pi --session "my work/a.jsonl"');
		expect(startHint({ format: 'gemini', path: 'a.json' })).toBeUndefined();
	});
});
