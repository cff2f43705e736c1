import { describe, expect, it } from 'vitest';
import { read } from './reading.ts';

const base = { sessionId: 's', cwd: '/w', timestamp: '2026-11-01T10:00:00.000Z' };

function attachment(uuid: string, value: object): object {
	return { ...base, type: 'attachment', uuid, attachment: value };
}

const prompt = { ...base, type: 'user', uuid: 'u', message: { role: 'user', content: 'Look at @a.ts' } };

describe('attachments of Claude Code', () => {
	it('an attachment of Claude Code is read with its lines, like a read', () => {
		const file = { filePath: '/w/a.ts', content: 'one\ntwo', startLine: 5 };
		const found = read([
			prompt,
			attachment('f', { type: 'file', filename: 'a.ts', content: { type: 'text', file } }),
		]);
		expect(found?.all).toEqual([
			'user: Look at @a.ts',
			'user*: Called the Read tool with the following input: {"file_path":"/w/a.ts"}\nResult of calling the Read tool:\n5\tone\n6\ttwo',
		]);
	});

	it('attachments of Claude Code stay visible after the compaction that they follow', () => {
		const boundary = {
			...base,
			type: 'system',
			subtype: 'compact_boundary',
			uuid: 'b',
			compactMetadata: { trigger: 'auto', preTokens: 10 },
		};
		const summary = {
			...base,
			type: 'user',
			uuid: 'sum',
			isCompactSummary: true,
			message: { role: 'user', content: 'So far' },
		};
		const file = { filePath: '/w/b.ts', content: 'three' };
		const found = read([
			prompt,
			boundary,
			summary,
			attachment('f', { type: 'file', content: { type: 'text', file } }),
		]);
		expect(found?.visible).toEqual(['user*: So far', expect.stringContaining('1\tthree')]);
	});

	it.each([
		[
			{ type: 'nested_memory', path: '/w/CLAUDE.md', content: { content: 'Be brief' } },
			'/w/CLAUDE.md\nBe brief',
		],
		[{ type: 'edited_text_file', filename: '/w/a.ts', snippet: '1\tnew' }, '/w/a.ts\n1\tnew'],
		[{ type: 'hook_additional_context', content: ['from a hook'] }, 'from a hook'],
	])('an attachment of Claude Code is read if it is %j', (value, text) => {
		expect(read([prompt, attachment('x', value)])?.all[1]).toBe(`user*: ${text}`);
	});

	it('unknown attachments of Claude Code are skipped', () => {
		for (const value of [
			{ type: 'news' },
			{ type: 'file' },
			{ type: 'file', content: { file: { content: 7 } } },
		]) {
			expect(read([prompt, attachment('x', value)])?.all).toHaveLength(1);
		}
	});
});

describe('requests recorded by Claude Code', () => {
	it('recorded requests of Claude Code have the system prompt by heading, tools by name and server, and announcements', () => {
		const tools = [{ name: 'Bash' }, { name: 'mcp__git__log' }, { name: 'mcp__git__diff' }];
		const found = read([
			prompt,
			attachment('1', {
				type: 'prompt_snapshot',
				cliPrefix: 'You are',
				systemPrompt: ['# Tone\nBe kind'],
				tools,
			}),
			attachment('2', { type: 'skill_listing', content: '- init' }),
			attachment('3', { type: 'prompt_snapshot', systemPrompt: ['# Tone\nBe brief'] }),
		]);
		expect(found?.info.request).toEqual({
			systemPrompt: [{ name: 'Tone', text: '# Tone\nBe brief' }],
			tools: [
				{ name: 'Bash', definitions: [tools[0]] },
				{ name: 'git (MCP)', definitions: tools.slice(1) },
			],
			other: [{ name: 'Skills', text: '- init' }],
		});
	});
});
