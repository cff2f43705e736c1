import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const path = '/repo/src/retry.ts';
const before = 'const retryLimit = readLimitFrom(settings);';
const after = 'const retryLimit = limits.forRequest(request);';

function read(seq: number, ...lines: string[]): Source[] {
	const made = call('Read', { file_path: path });
	const shown = lines.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join('\n');
	return [assistant(seq, '', made), result(seq + 1, made, shown)];
}

function edit(seq: number, old_string: string, new_string: string, failed = false): Source[] {
	const made = call('Edit', { file_path: path, old_string, new_string });
	const told = failed ? 'String to replace not found in file.' : `The file ${path} has been updated.`;
	return [assistant(seq, 'The limit differs by request.', made), result(seq + 1, made, told, failed)];
}

/** Reports whether a summary has a line that contains this code. */
function shows(sources: readonly Source[], code: string): boolean {
	return summaryOf([user(0, 'Fix the limit.'), ...sources], 4000)
		.split('\n')
		.some((line) => line.includes(code));
}

describe('code that an edit removed', () => {
	it('a sentence of a document is left out if an edit removed one of the lines over which it goes', () => {
		const lines = [
			'The limit is read when the process starts, which keeps all of the phases in their order and',
			'is safe because no request can change the limit while the retries of another request run.',
		];
		const document = [
			...lines,
			'',
			'Every retry waits twice as long as the retry before it, up to a minute.',
		];
		const made = call('Read', { file_path: '/repo/docs/retry.md' });
		const change = call('Edit', {
			file_path: '/repo/docs/retry.md',
			old_string: lines[1],
			new_string: 'is not safe, as a test showed.',
		});
		const sources = [assistant(1, '', made), result(2, made, document.join('\n'))];
		const later = [assistant(3, '', change), result(4, change, 'Edited.')];
		expect(shows(sources, 'is safe because no request')).toBe(true);
		expect(shows([...sources, ...later], 'is safe because no request')).toBe(false);
		expect(shows([...sources, ...later], 'waits twice as long')).toBe(true);
	});

	it('removed code is not quoted from an earlier read', () => {
		const sources = [...read(1, before, 'export default retryLimit;'), ...edit(3, before, after)];
		expect(shows(sources, before)).toBe(false);
		expect(shows(sources, after)).toBe(true);
	});

	it('removed code is not shown if both sides of the edit are short', () => {
		const sources = [...edit(1, 'const tries = 3;', 'const tries = 5;')];
		expect(shows(sources, 'tries = 3')).toBe(false);
	});

	it('removed code is not shown from a longer edit, but unchanged lines are', () => {
		const both = 'export function retryAfter(response: Response): number {';
		const sources = [
			...read(1, both, before, '}'),
			...edit(3, `${both}\n\t${before}\n}`, `${both}\n\t${after}\n}`),
		];
		expect(shows(sources, before)).toBe(false);
		expect(shows(sources, both)).toBe(true);
	});

	it.each([
		['Edit', 'old_string', 'new_string'],
		['str_replace_editor', 'old_str', 'new_str'],
		['edit', 'oldText', 'newText'],
	])('a line that an edit by %s only aligns is quoted from neither side', (name, old, fresh) => {
		const both = 'retryLimit: readLimitFrom(settings),';
		const aligned = both.replace(' ', '      ');
		const made = call(name, {
			path,
			[old]: `export const limits = {\n\t${both}\n};`,
			[fresh]: `export const limits = {\n\t${aligned}\n\tmaxRetryDelay: 400,\n};`,
		});
		const sources = [assistant(1, '', made), result(2, made, 'Edited.'), assistant(3, 'The limit is new.')];
		expect(shows(sources, 'maxRetryDelay: 400')).toBe(true);
		expect(shows(sources, aligned)).toBe(false);
		expect(shows(sources, both)).toBe(false);
	});

	it('a line without spaces that an edit removed is not quoted from an earlier read', () => {
		const [read, bump] = [
			call('Read', { file_path: path }),
			call('Edit', { file_path: path, old_string: 'flask==2.0.1', new_string: 'flask==3.1.0' }),
		];
		const lines = ['flask==2.0.1', 'numpy==9.1.2', 'attrs==3.4.1', 'django==5.0.2'];
		const shown = [assistant(1, '', read), result(2, read, lines.join('\n'))];
		const text = summaryOf([
			user(0, 'Bump it.'),
			...shown,
			assistant(3, '', bump),
			result(4, bump, 'Edited.'),
		]);
		expect(text).not.toContain('flask==2.0.1');
	});

	function write(seq: number, file_path: string, lines: readonly string[], failed = false): Source[] {
		const made = call('Write', { file_path, content: lines.join('\n') });
		return [assistant(seq, '', made), result(seq + 1, made, failed ? 'No space left.' : 'Written.', failed)];
	}

	const other = '/repo/src/other.ts';

	it.each([
		['read', read(1, before, 'export default retryLimit;')],
		['written', write(1, path, [before, 'export default retryLimit;'])],
	])('removed code is not shown if the file was %s before and overwritten without it', (_, earlier) => {
		expect(shows(earlier, before)).toBe(true);
		const anew = [after, 'export default retryLimit;'];
		expect(shows([...earlier, ...write(3, path, anew)], before)).toBe(false);
		expect(shows([...earlier, ...write(3, path, anew)], 'export default retryLimit;')).toBe(true);
		expect(shows([...earlier, ...write(3, path, anew, true)], before)).toBe(true);
		expect(shows([...earlier, ...write(3, other, anew)], before)).toBe(true);
		expect(shows([...earlier, ...write(3, path, anew), ...read(5, before)], before)).toBe(true);
	});

	it('removed code is not shown after an edit with replace_all', () => {
		const replaceAll = {
			file_path: path,
			old_string: 'retryLimit',
			new_string: 'attempts',
			replace_all: true,
		};
		const made = call('Edit', replaceAll);
		const edited = [assistant(3, '', made), result(4, made, 'All occurrences were replaced.')];
		const sources = [...read(1, before, 'export default limits;'), ...edited];
		expect(shows(sources, before)).toBe(false);
		expect(shows(sources, 'export default limits;')).toBe(true);
	});

	it('removed code is not shown from a patch', () => {
		const patch = [
			'*** Begin Patch',
			`*** Update File: ${path}`,
			'@@',
			' export default retryLimit;',
			`-${before}`,
			`+${after}`,
			'*** End Patch',
		].join('\n');
		for (const args of [{ input: patch }, { command: ['apply_patch', patch] }, { patch }]) {
			const made = call('apply_patch', args);
			const sources = [...read(1, before), assistant(3, '', made), result(4, made, 'Success.')];
			expect(shows(sources, before)).toBe(false);
			expect(shows(sources, after)).toBe(true);
		}
	});

	it('removed code is not shown from a search and replace block', () => {
		const made = call('replace_in_file', {
			path,
			diff: `<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE`,
		});
		const sources = [...read(1, before), assistant(3, '', made), result(4, made, 'Done.')];
		expect(shows(sources, before)).toBe(false);
		expect(shows(sources, after)).toBe(true);
	});

	it('removed code is not shown from several edits in one call', () => {
		const made = call('MultiEdit', {
			file_path: path,
			edits: [
				{ old_string: before, new_string: after },
				{ old_string: 'const pauseBetween = 4_000;', new_string: 'const pauseBetween = 8_000;' },
			],
		});
		const sources = [...read(1, before, 'const pauseBetween = 4_000;'), assistant(3, '', made)];
		expect(shows(sources, before)).toBe(false);
		expect(shows(sources, 'pauseBetween = 4_000')).toBe(false);
		expect(shows(sources, 'pauseBetween = 8_000')).toBe(true);
	});

	it.each([
		['OpenCode', `Found 1 matches\n${path}:\n  Line 8: ${before}`],
		['ripgrep', `src/retry.ts:8:${before}`],
		['grep of a file', `8:${before}`],
		['grep with context', `src/retry.ts-8-${before}`],
		['Windows', `C:\\work\\src\\retry.ts:8:${before}`],
	])('removed code is not shown from an earlier search: %s', (_, output) => {
		const made = call('grep', { pattern: 'retryLimit' });
		const found = [assistant(1, '', made), result(2, made, output)];
		expect(shows(found, before)).toBe(true);
		expect(shows([...found, ...edit(3, before, after)], before)).toBe(false);
	});

	it('removed code is not shown if a failed call has the id of the edit', () => {
		const same = (source: Source): Source => ({
			...source,
			calls: source.calls.map((one) => ({ ...one, id: 'call' })),
			...(source.role === 'tool' && { toolCallId: 'call' }),
		});
		const sources = [...read(1, before), ...edit(3, before, after), ...edit(5, 'let tries', 'let n', true)];
		expect(shows(sources.map(same), before)).toBe(false);
	});

	it('removed code is not shown from prose in which the agent quotes it', () => {
		const fence = `\`\`\`ts\n${before}\n\`\`\``;
		const sources = [
			...read(1, before),
			assistant(3, `The limit is the same for every request:\n${fence}`),
			...edit(4, before, after),
			assistant(6, `It was the same for every request:\n${fence}\nNow it differs.`),
		];
		expect(shows(sources, before)).toBe(false);
		expect(shows(sources.slice(0, 3), before)).toBe(true);
	});

	it('moved code is shown', () => {
		const made = call('Edit', {
			file_path: path,
			old_string: `${before}\nstart();`,
			new_string: `start();\n${before}`,
		});
		expect(shows([...read(1, before), assistant(3, '', made)], before)).toBe(true);
	});

	it('restored code is shown', () => {
		expect(shows([...read(1, before), ...edit(3, before, after), ...edit(5, after, before)], before)).toBe(
			true,
		);
		expect(shows([...edit(1, before, after), ...read(3, before)], before)).toBe(true);
	});

	it('code is shown if its edit failed', () => {
		expect(shows([...read(1, before), ...edit(3, before, after, true)], before)).toBe(true);
	});

	const bash = (seq: number, command: string, output = ''): Source[] => {
		const made = call('Bash', { command });
		return [assistant(seq, '', made), result(seq + 1, made, output)];
	};

	it.each([
		["sed -i 's/readLimitFrom(settings)/readLimit()/' src/retry.ts"],
		["cd /repo && sed -i -e 's#readLimitFrom#readLimit#g' src/*.ts"],
		["sed -i '/retryLimit = readLimitFrom/d' /repo/src/retry.ts"],
		["perl -pi -e 's/readLimitFrom/readLimit/' src/retry.ts"],
		['git rm -q src/retry.ts'],
		['rm -r /repo/src'],
	])('removed code is not shown after the command %s', (command) => {
		expect(shows([...read(1, before), ...bash(3, command)], before)).toBe(false);
	});

	it('code is shown after its file was moved, and not after an edit of the moved file', () => {
		const moved = [...read(1, before), ...bash(3, 'git mv src/retry.ts src/limits.ts')];
		const made = call('Edit', { file_path: '/repo/src/limits.ts', old_string: before, new_string: after });
		expect(shows(moved, before)).toBe(true);
		expect(shows([...moved, assistant(5, '', made), result(6, made, 'done')], before)).toBe(false);
	});

	it.each(['git checkout src/retry.ts', 'git stash', 'git reset --hard'])(
		'removed code is shown after git reverted the edit, and the new line is not: %s',
		(command) => {
			const sources = [...read(1, before), ...edit(3, before, after), ...bash(5, command)];
			expect(shows(sources, before)).toBe(true);
			expect(shows(sources, after)).toBe(false);
		},
	);

	it('removed code is not shown after stashed changes were restored', () => {
		const sources = [
			...read(1, before),
			...edit(3, before, after),
			...bash(5, 'git stash'),
			...bash(7, 'git stash pop'),
		];
		expect(shows(sources, before)).toBe(false);
		expect(shows(sources, after)).toBe(true);
	});

	it('removed code is shown after both commits with edits were reverted in turn', () => {
		const last = 'const retryLimit = limits.forEveryRequest(request, session);';
		const back = 'git reset --hard HEAD~1';
		const sources = [
			...read(1, before),
			...edit(3, before, after),
			...bash(5, 'git commit -qam "Limit by request"'),
			...edit(7, after, last),
			...bash(9, 'git commit -qam "Limit by session"'),
			...bash(11, back),
		];
		expect(shows(sources, after)).toBe(true);
		expect(shows([...sources, ...bash(13, back)], after)).toBe(false);
		expect(shows([...sources, ...bash(13, back)], before)).toBe(true);
	});

	it('removed code is shown after the commit with the edit was reverted', () => {
		const commit = bash(5, 'git commit -qam "Limit by request"');
		const sources = [...read(1, before), ...edit(3, before, after), ...commit, ...bash(7, 'git revert HEAD')];
		expect(shows(sources, before)).toBe(true);
		expect(shows(sources, after)).toBe(false);
	});

	it('removed code is shown after the user undid the turn with the edit', () => {
		const sources = [user(0, 'Go.'), ...read(1, before), user(3, 'Now edit.'), ...edit(4, before, after)];
		expect(shows([...sources, user(8, '/undo')], before)).toBe(true);
	});

	it('removed code is shown if another file still has it', () => {
		const made = call('Read', { file_path: '/repo/src/other.ts' });
		const other = [assistant(3, '', made), result(4, made, `     1→${before}`)];
		expect(shows([...read(1, before), ...other, ...edit(5, before, after)], before)).toBe(true);
	});

	it('code is not shown if a part of its line was replaced', () => {
		const sources = [...read(1, before), ...edit(3, 'readLimitFrom(settings)', 'limits.current(request)')];
		expect(shows(sources, before)).toBe(false);
	});

	it('removed code is not shown from the removed lines of a diff', () => {
		const diff = `diff --git a/src/retry.ts b/src/retry.ts\n@@ -1 +1 @@\n-${before}\n+${after}`;
		const sources = [...read(1, before), ...edit(3, before, after), ...bash(5, 'git diff', diff)];
		expect(shows(sources, before)).toBe(false);
	});
});

describe('code that an edit removed from one of two files', () => {
	const moved = 'pageLimit: number; // most entries of a page';

	it.each([
		['Claude Code', 'Read', 'file_path', 'Edit', 'old_string', 'new_string'],
		['pi', 'read', 'path', 'edit', 'oldText', 'newText'],
		['OpenCode', 'read', 'filePath', 'edit', 'oldString', 'newString'],
	])('is quoted only from the other file: %s', (_, readName, key, editName, old, fresh) => {
		const steps: [string, object, string][] = [
			[readName, { [key]: '/repo/src/types.ts' }, `interface Page {\n\t${moved}\n\ttitle: string;\n}`],
			[readName, { [key]: '/repo/src/pages.ts' }, `interface PageOptions {\n\t${moved}\n}`],
			[editName, { [key]: '/repo/src/types.ts', [old]: `\t${moved}\n`, [fresh]: '' }, 'Edited.'],
		];
		const sources = [user(0, 'Move the limit.')];
		for (const [name, args, text] of steps) {
			const made = call(name, args);
			const seq = sources.length;
			sources.push(assistant(seq, '', made), result(seq + 1, made, text));
		}
		const lines = summaryOf(sources, 4000)
			.split('\n')
			.filter((line) => line.includes('pageLimit'));
		expect(lines).toHaveLength(1);
		expect(summaryOf(sources.slice(0, 3), 4000)).toContain(moved);
		expect(summaryOf(sources, 4000)).toMatch(/\[#4 [^\]]*\][^[]*pageLimit/i);
	});
});
