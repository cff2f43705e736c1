import { describe, expect, it } from 'vitest';
import {
	besideOf,
	endingOf,
	fileNameOf,
	formatChoices,
	projectIn,
	projectNameOf,
	startOf,
} from '../../client-vscode/src/commands/exportFile.ts';
import { exportFormats } from '../../server/core/transcript/write/file.ts';

describe('the export of a history', () => {
	it('offers every format that the daemon writes', () => {
		expect(new Set(Object.keys(formatChoices()))).toEqual(new Set(exportFormats));
	});

	it('names files after what is in them, and a session of Claude Code after its id', () => {
		expect(fileNameOf('claude-code', 'a-b')).toBe('a-b.jsonl');
		expect(fileNameOf('pi', 'a-b')).toBe('compacted-history.pi.jsonl');
		expect(fileNameOf('anthropic', undefined)).toBe('compacted-history.anthropic.json');
		expect(endingOf('contextd')).toBe('jsonl');
	});

	it('says how an agent goes on from it', () => {
		const claude = { format: 'claude-code', agentSessionId: 'a-b', path: 'a-b.jsonl' } as const;
		expect(startOf(claude)).toEqual({
			command: 'claude --resume a-b',
			hint: 'Move it into the project’s folder in ~/.claude/projects, then run: claude --resume a-b',
		});
		const beside = '/home/me/.claude/projects/-home-me-project/c-d.jsonl';
		expect(startOf({ ...claude, beside })?.hint).toBe(
			'Move it into /home/me/.claude/projects/-home-me-project, then run: claude --resume a-b',
		);
		expect(startOf({ format: 'pi', path: 'a.jsonl' })?.command).toBe('pi --session a.jsonl');
		expect(startOf({ format: 'pi', path: 'my work/a.jsonl' })?.command).toBe(
			'pi --session "my work/a.jsonl"',
		);
		expect(startOf({ format: 'gemini', path: 'a.json' })).toBeUndefined();
	});

	it('is gone on with from the folder that the session’s project is named after', () => {
		expect(projectNameOf('/home/me/my.project')).toBe('-home-me-my-project');
		expect(projectIn('/home/me/.claude/projects/-home-me-my-project/a.jsonl')).toBe('-home-me-my-project');
	});

	it('puts a session beside the one that it was made of', () => {
		expect(besideOf('/p/-w/c-d.jsonl', 'a-b.jsonl')).toBe('/p/-w/a-b.jsonl');
		expect(besideOf('C:\\p\\-w\\c-d.jsonl', 'a-b.jsonl')).toBe('C:\\p\\-w\\a-b.jsonl');
	});
});
