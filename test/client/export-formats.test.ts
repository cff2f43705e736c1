import { describe, expect, it } from 'vitest';
import {
	createExportedFileName,
	createFormatChoices,
	describeAgentStart,
	getFileExtension,
	parseFolderName,
	toProjectFolderName,
} from '../../client-vscode/src/commands/exportFile.ts';
import { exportFormats } from '../../server/core/transcript/write/file.ts';

describe('exporting a history', () => {
	it('every format that the daemon exports is offered', () => {
		expect(new Set(Object.keys(createFormatChoices()))).toEqual(new Set(exportFormats));
	});

	it('exported files are named after their content, and a Claude Code session after its id', () => {
		const now = Date.UTC(2026, 0, 2, 3, 4, 5);
		expect(createExportedFileName('claude-code', 'a-b', now)).toBe('a-b.jsonl');
		expect(createExportedFileName('codex', 'a-b', now)).toBe('rollout-2026-01-02T03-04-05-a-b.jsonl');
		expect(createExportedFileName('pi', 'a-b', now)).toBe('compacted-history.pi.jsonl');
		expect(createExportedFileName('anthropic', undefined, now)).toBe('compacted-history.anthropic.json');
		expect(getFileExtension('contextd')).toBe('jsonl');
	});

	it('an export says how its agent continues from it', () => {
		const claude = { format: 'claude-code', agentSessionId: 'a-b', path: 'a-b.jsonl' } as const;
		expect(describeAgentStart(claude)).toEqual({
			command: 'claude --resume a-b',
			hint: 'Move it into the project’s folder in ~/.claude/projects, then run “claude --resume a-b”.',
		});
		const original = '/home/me/.claude/projects/-home-me-project/c-d.jsonl';
		expect(describeAgentStart({ ...claude, originalPath: original })?.hint).toBe(
			'Move it into /home/me/.claude/projects/-home-me-project, then run “claude --resume a-b”.',
		);
		expect(describeAgentStart({ format: 'pi', path: 'a.jsonl' })?.command).toBe('pi --session a.jsonl');
		expect(describeAgentStart({ format: 'pi', path: 'my work/a.jsonl' })?.command).toBe(
			'pi --session "my work/a.jsonl"',
		);
		expect(describeAgentStart({ format: 'gemini', path: 'a.json' })).toBeUndefined();
		const agentSessionId = 'a-b';
		expect(describeAgentStart({ format: 'opencode', agentSessionId, path: 'a.json' })?.command).toBe(
			'opencode import a.json && opencode -s a-b',
		);
		expect(describeAgentStart({ format: 'copilot-cli', agentSessionId, path: 'events.jsonl' })?.hint).toBe(
			'Move it into ~/.copilot/session-state/a-b, then run “copilot --resume=a-b”.',
		);
	});

	it('the project folder of Claude Code is named after the workspace folder', () => {
		expect(toProjectFolderName('/home/me/my.project')).toBe('-home-me-my-project');
		expect(parseFolderName('/home/me/.claude/projects/-home-me-my-project/a.jsonl')).toBe(
			'-home-me-my-project',
		);
	});
});
