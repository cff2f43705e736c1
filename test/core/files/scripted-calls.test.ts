import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import { findFileAccess, findTouches } from '../../../server/core/files/findTouches.ts';
import { unwrapScriptedCall } from '../../../server/core/files/scriptedCall.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';

const scripted = (input: string, name = 'exec'): ToolCall => ({ id: 'c', name, args: { input } });
const patch =
	'*** Begin Patch\n*** Update File: src/quay.ts\n@@\n-\told "quay"\n+\tnew "quay"\n*** End Patch';

describe('the call that a script of Codex makes', () => {
	it.each<[string, string, string, unknown]>([
		[
			'a command with JSON as argument',
			'const r = await tools.exec_command({"cmd":"npm test -- --grep \\"quay\\"","workdir":"/w","yield_time_ms":1000});\ntext(r.output);',
			'exec_command',
			{ cmd: 'npm test -- --grep "quay"', workdir: '/w', yield_time_ms: 1000 },
		],
		[
			'a command with a literal of JavaScript',
			"text(await tools.exec_command({ cmd: 'ls', /* no */ }));",
			'exec',
			undefined,
		],
		[
			'a command with names without quotation marks',
			"text((await tools.exec_command({\n  cmd: 'ls \\'a b\\'', // the quay\n  tty: false,\n  limits: [1, -2.5, null],\n})).output);",
			'exec_command',
			{ cmd: "ls 'a b'", tty: false, limits: [1, -2.5, null] },
		],
		[
			'a patch in a variable',
			`const patch = ${JSON.stringify(patch)};\ntext(await tools.apply_patch(patch));`,
			'apply_patch',
			{ input: patch },
		],
		[
			'a patch in a raw template',
			`text(await tools.apply_patch(String.raw\`${patch}\`));`,
			'apply_patch',
			{ input: patch },
		],
		[
			'a patch in joined lines',
			`const patch = [\n${patch
				.split('\n')
				.map((line) => JSON.stringify(line))
				.join(',\n')}\n].join("\\n"); await tools.apply_patch(patch);`,
			'apply_patch',
			{ input: patch },
		],
		[
			'a sum of texts',
			'const a = "l" +\n  \'s\'; await tools.exec_command({cmd: a});',
			'exec_command',
			{ cmd: 'ls' },
		],
		[
			'a text with escapes',
			String.raw`await tools.exec_command({cmd: "a\u0062\x63\u{64}\t\"e\"\q"});`,
			'exec_command',
			{ cmd: 'abcd\t"e"q' },
		],
		[
			'a shorthand member',
			'const cmd = "ls"; await tools.exec_command({ cmd, workdir: "/w" });',
			'exec_command',
			{ cmd: 'ls', workdir: '/w' },
		],
		[
			'several commands',
			'const all = await Promise.all([tools.exec_command({cmd:"ls"}), tools.exec_command({cmd:"pwd"})]);',
			'exec_command',
			{ cmd: 'ls\npwd' },
		],
	])('is read: %s', (_, script, name, args) => {
		const call = unwrapScriptedCall(scripted(script));
		expect(call).toEqual(args === undefined ? scripted(script) : { id: 'c', name, args });
	});

	it('stays a script if its arguments are computed', () => {
		for (const script of [
			'for (const cmd of commands) await tools.exec_command({ cmd });',
			// biome-ignore lint/suspicious/noTemplateCurlyInString: the script is a text
			'await tools.exec_command({ cmd: `ls ${folder}` });',
			'await tools.exec_command({ cmd: "ls" + folder });',
			'await tools.apply_patch(patches[0]);',
			'const patch = "a".trim(); await tools.apply_patch(patch);',
			'const patch = "a"; await tools.apply_patch(patch.trim());',
			'const a = b; const b = a; await tools.exec_command(a);',
			'await tools.exec_command({ cmd: "ls" }); await tools.apply_patch(patch);',
			'await tools.exec_command({ cmd: "ls',
			'text("no call");',
		])
			expect(unwrapScriptedCall(scripted(script))).toEqual(scripted(script));
	});

	it('is not read in the script of another tool', () => {
		const call = scripted('await tools.exec_command({ cmd: "ls" });', 'browser');
		expect(unwrapScriptedCall(call)).toBe(call);
		const shell: ToolCall = { id: 'c', name: 'exec', args: { command: 'grep tools.exec_command(' } };
		expect(unwrapScriptedCall(shell)).toBe(shell);
	});

	it('names the files that it reads and edits', () => {
		expect(findTouches(scripted(`await tools.apply_patch(${JSON.stringify(patch)})`))).toEqual([
			{ kind: 'edit', path: 'src/quay.ts', callId: 'c' },
		]);
		expect(
			findFileAccess(scripted('await tools.exec_command({"cmd":"cat quay.md","workdir":"/w"})')),
		).toMatchObject({ touches: [{ kind: 'read', path: '/w/quay.md' }], showsOnlyFiles: true });
	});

	it('is the call of the source', () => {
		const source = createSource(
			{ seq: 1, id: 'm' },
			{
				id: 'm',
				role: 'assistant',
				content: '',
				toolCalls: [scripted('await tools.exec_command({cmd:"ls"})')],
			},
		);
		expect(source.calls).toEqual([{ id: 'c', name: 'exec_command', args: { cmd: 'ls' } }]);
	});

	it('that failed is recognized by its result', () => {
		const text = 'Script failed\nWall time 0.0 seconds\nOutput:\nScript error:\nthe quay is closed';
		const source = createSource(
			{ seq: 2, id: 'r', tool: 'exec' },
			{ id: 'r', role: 'tool', toolCallId: 'c', content: text },
		);
		expect(source.failed).toBe(true);
	});
});
