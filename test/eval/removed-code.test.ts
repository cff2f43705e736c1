import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { createCall, createCommand, createSummary, listKinds } from './checkedHistories.ts';

describe('removed code', () => {
	const written = createCall(
		'write',
		{ file_path: '/w/src/pump.ts', content: 'const limit = readLimit(4);\nstart(limit);' },
		'ok',
	);
	const replaced = [
		...written,
		...createCall(
			'edit',
			{ file_path: '/w/src/pump.ts', old_string: 'readLimit(4)', new_string: 'readLimit(6)' },
			'ok',
		),
	];
	const quote = createSummary('const limit = readLimit(4);');

	it('removed code is found after an edit of a part of its line', () => {
		expect(listKinds(replaced, quote)).toEqual(['removed code']);
	});

	it('code that a here-document moved to another file is not removed, also without a recorded result', () => {
		const script = "cat > /w/src/limits.ts << 'EOF'\nconst limit = readLimit(4);\nEOF";
		const moved = createCommand(script, '');
		const [call] = moved;
		const goesOn: ChatMessage = { role: 'assistant', content: 'Next.' };
		expect(listKinds([...replaced, ...moved], quote)).toEqual([]);
		expect(listKinds([...replaced, ...moved.slice(0, 1), goesOn], quote)).toEqual([]);
		expect(call?.toolCalls).toHaveLength(1);
		expect(listKinds([...replaced, ...moved.slice(0, 1)], quote)).toEqual(['removed code']);
		expect(listKinds([...replaced, ...createCommand(`${script}\nrm src/limits.ts`, '')], quote)).toEqual([
			'removed code',
		]);
	});

	it('removed code is found after its file was deleted by a relative path', () => {
		expect(listKinds([...written, ...createCommand('rm src/pump.ts', '')], quote)).toEqual(['removed code']);
	});

	it('removed code is found after a patch and after sed', () => {
		const patch =
			'*** Begin Patch\n*** Update File: src/pump.ts\n@@\n-const limit = readLimit(4);\n+const limit = 6;\n*** End Patch';
		expect(listKinds([...written, ...createCall('apply_patch', { input: patch }, 'ok')], quote)).toEqual([
			'removed code',
		]);
		const sed = createCommand("sed -i 's/readLimit(4)/readLimit(6)/' src/pump.ts", '');
		expect(listKinds([...written, ...sed], quote)).toEqual(['removed code']);
	});

	it('removed code is found after git restored the earlier content', () => {
		const committed = [...written, ...createCommand('git commit -qam "Add the pump"', '')];
		const edited = {
			file_path: '/w/src/pump.ts',
			old_string: 'start(limit);',
			new_string: 'startSlowly(limit, 9);',
		};
		const restored = [
			...committed,
			...createCall('edit', edited, 'ok'),
			...createCommand('git checkout -- src/pump.ts', ''),
		];
		expect(listKinds(restored, createSummary('startSlowly(limit, 9);'))).toEqual(['removed code']);
		expect(listKinds(restored, quote)).toEqual([]);
	});

	it.each(['cp $KEPT/pump.ts src/pump.ts', 'cp $KEPT/valve.ts $KEPT/pump.ts src/'])(
		'code is not found as removed if a copy may have brought it back: %s',
		(command) => {
			expect(listKinds([...replaced, ...createCommand(command, '')], quote)).toEqual([]);
			expect(listKinds([...replaced, ...createCommand('cp src/valve.ts lib/valve.ts', '')], quote)).toEqual([
				'removed code',
			]);
		},
	);

	it('code is not found as removed if git put its changes aside and brought them back', () => {
		const stashed = [...written, ...createCommand('git stash', '')];
		expect(listKinds(stashed, quote)).toEqual(['removed code']);
		expect(listKinds([...stashed, ...createCommand('git stash pop', '')], quote)).toEqual([]);
		expect(listKinds([...written, ...createCommand('git stash && git stash pop', '')], quote)).toEqual([]);
	});

	it('code is not found as removed if git restored its file after a read', () => {
		const read = createCall('read', { file_path: '/w/src/pump.ts' }, 'const limit = readLimit(4);');
		expect(listKinds([...read, ...createCommand('git checkout -- .', '')], quote)).toEqual([]);
	});

	it('code is not found as removed in a shortened result above the edit', () => {
		const read = createCall('read', { file_path: '/w/src/pump.ts' }, 'const limit = readLimit(4);\nstart();');
		const edit = createCall(
			'edit',
			{ file_path: '/w/src/pump.ts', old_string: 'readLimit(4)', new_string: 'readLimit(6)' },
			'ok',
		);
		const [call, output] = read as [ChatMessage, ChatMessage];
		const shortened = [call, { ...output, content: 'const limit = readLimit(4);\n…' }];
		expect(listKinds([...read, ...edit], [...shortened, ...edit])).toEqual([]);
		expect(listKinds([...read, ...edit], shortened)).toEqual(['removed code']);
	});

	it('code is not found as removed if only white space within its line changed', () => {
		const spaces = {
			file_path: '/w/src/pump.ts',
			old_string: 'const limit = r',
			new_string: 'const limit  = r',
		};
		expect(listKinds([...written, ...createCall('edit', spaces, 'ok')], quote)).toEqual([]);
	});

	it.each([
		[
			'a search with line numbers',
			'grep -n -A1 limit src/pump.ts',
			'1:const limit = readLimit(4);\n2-start(limit);',
		],
		['a search in files', 'rg -n limit', 'src/pump.ts:1:const limit = readLimit(4);'],
		['a diff', 'git diff', '@@ -1 +1,2 @@\n+const limit = readLimit(4);'],
	])('code is not found as removed if a later output of %s shows it', (_, command, output) => {
		expect(listKinds([...replaced, ...createCommand(command, output)], quote)).toEqual([]);
	});

	it('code is not found as removed in the old text of an edit that the view still has', () => {
		const [edit] = replaced.slice(2);
		const shortened: ChatMessage = { ...edit, role: 'assistant', content: 'I raise the limit.' };
		const whole = {
			file_path: '/w/src/pump.ts',
			old_string: 'const limit = readLimit(4);',
			new_string: 'none',
		};
		const view = [{ ...shortened, toolCalls: [{ id: 'call-0', name: 'edit', args: whole }] }];
		expect(listKinds(replaced, view)).toEqual([]);
		expect(listKinds(replaced, [{ ...shortened, content: 'const limit = readLimit(4);' }])).toEqual([
			'removed code',
		]);
	});

	it('code is not found as removed if the line begins like a longer line that a patch removed', () => {
		const patch =
			'*** Begin Patch\n*** Update File: src/pump.ts\n@@\n-const limit =\n-  readDepth(9);\n+const limit = 6;\n*** End Patch';
		expect(listKinds([...written, ...createCall('apply_patch', { patchText: patch }, 'ok')], quote)).toEqual(
			[],
		);
	});

	it.each([
		['cat', 'cat lib/tank.ts', 'const limit = readLimit(4);'],
		['PowerShell', 'Get-Content lib\\tank.ts', 'const limit = readLimit(4);'],
		['a numbered view', 'sed -n 8,9p lib/tank.ts', '8. const limit = readLimit(4);'],
	])('code is not found as removed if %s showed it in another file', (_, command, output) => {
		expect(listKinds([...createCommand(command, output), ...replaced], quote)).toEqual([]);
	});

	it('code is not found as removed if a later search by a tool shows it', () => {
		const found = createCall(
			'grep',
			{ pattern: 'limit', path: '/w' },
			'/w/src/pump.ts:\n  Line 1: const limit = readLimit(4);',
		);
		expect(listKinds([...replaced, ...found], quote)).toEqual([]);
		expect(listKinds([...found, ...replaced], quote)).toEqual(['removed code']);
	});

	it('code is not found as removed in a shortened diff that marks it', () => {
		const diff = createCommand(
			'git diff',
			'@@ -1 +1 @@\n-const limit = readLimit(4);\n+const limit = readLimit(6);',
		);
		const [call, output] = diff as [ChatMessage, ChatMessage];
		const history = [...replaced, ...diff];
		expect(listKinds(history, [call, { ...output, content: '…\n-const limit = readLimit(4);\n…' }])).toEqual(
			[],
		);
		expect(listKinds(history, [call, { ...output, content: '…\nconst limit = readLimit(4);\n…' }])).toEqual([
			'removed code',
		]);
	});

	it('code is not found as removed if it exists, its edit failed, or the view says that it was removed', () => {
		expect(listKinds(written, quote)).toEqual([]);
		expect(listKinds(replaced, createSummary('const limit = readLimit(6);'))).toEqual([]);
		expect(
			listKinds(replaced, createSummary('- const limit = readLimit(4);', '+ const limit = readLimit(6);')),
		).toEqual([]);
		const failed = { file_path: '/w/src/pump.ts', old_string: 'readLimit(4)', new_string: 'readLimit(77)' };
		expect(listKinds([...written, ...createCall('edit', failed, 'not found', true)], quote)).toEqual([]);
	});
});
