import { describe, expect, it } from 'vitest';
import { renderCall, renderWholeCall } from '../../../server/core/analysis/calls/calls.ts';
import { call } from './facts-sources.ts';

const patch = [
	'*** Begin Patch',
	'*** Update File: src/rows.py',
	'@@',
	'-limit = 3',
	'+limit = 4',
	'*** Add File: src/rows.sql',
	'+CREATE TABLE rows (id TEXT);',
	'*** End Patch',
].join('\n');

describe('a call that applies a patch', () => {
	it.each([
		['apply_patch', { input: patch }],
		['apply_patch', { patchText: patch }],
		['apply_patch', patch],
		['apply_patch', { patch }],
	])('the line of %s with %j names the files of the patch in place of the patch', (name, args) => {
		expect(renderCall(call(name, args))).toBe('apply_patch src/rows.py, src/rows.sql');
		expect(renderWholeCall(call(name, args))).toBe('apply_patch src/rows.py, src/rows.sql');
	});

	it.each([
		[{ command: ['apply_patch', patch] }],
		[{ command: `apply_patch <<'EOF'\n${patch}\nEOF` }],
		[{ command: `apply_patch "${patch}"` }],
	])('the line of a shell command with a patch names the files (%#)', (args) => {
		expect(renderCall(call('shell', args))).toBe('shell apply_patch src/rows.py, src/rows.sql');
	});

	it.each([
		['apply_patch', (text: string) => ({ input: text }), 'apply_patch'],
		['shell', (text: string) => ({ command: ['apply_patch', text] }), 'shell apply_patch'],
	])('the line of %s says which file the patch deletes and adds again', (name, toArguments, start) => {
		const again = patch.replace('*** Add', '*** Delete File: src/rows.sql\n*** Add');
		const line = `${start} src/rows.py, src/rows.sql (rewritten whole)`;
		expect(renderCall(call(name, toArguments(again)))).toBe(line);
	});

	it.each([
		['apply_patch', (text: string) => ({ input: text }), 'apply_patch'],
		['shell', (text: string) => ({ command: ['apply_patch', text] }), 'shell apply_patch'],
	])('the line of %s says which file the patch deletes', (name, toArguments, start) => {
		const deleting = patch.replace('*** End', '*** Delete File: src/rows.cjs\n*** End');
		const line = `${start} src/rows.py, src/rows.sql, src/rows.cjs (deleted)`;
		expect(renderCall(call(name, toArguments(deleting)))).toBe(line);
	});

	it('the line of a call that only mentions a patch is unchanged', () => {
		const query = 'what does "*** Begin Patch" start?';
		expect(renderCall(call('search', { query }))).toBe(`search ${query}`);
	});
});
