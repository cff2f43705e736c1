import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../support/app.ts';

let folder = '';

beforeEach(() => {
	folder = freshFolder();
	except([]);
});

afterEach(removeFolders);

function write(file: string, text: string): void {
	mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
	writeFileSync(path.join(folder, file), text);
}

function except(exceptions: readonly unknown[], commitsAfter = 'none'): void {
	write('scripts/style/exceptions.json', JSON.stringify({ commitsAfter, exceptions }));
}

function git(...parameters: string[]): string {
	const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false'];
	const { status, stdout, stderr } = spawnSync('git', [...identity, ...parameters], {
		cwd: folder,
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(stderr);
	return stdout.trim();
}

/** Returns the offences that the check prints about the folder, without advice, and whether the check passes. */
function checkStyle() {
	const { status, stderr } = spawnSync(process.execPath, ['scripts/checkStyle.mjs', folder], {
		encoding: 'utf8',
	});
	const offences = stderr
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => /^(.*?: .*?: .*?): /.exec(line)?.[1] ?? line);
	return { passes: status === 0, offences };
}

const parameters = 'a: 1, b: 2, c: 3, d: 4';

describe('the style check', () => {
	it.each([
		['whoever', 'whoever asked'],
		['anew', 'is made anew'],
		['no more', 'is read no more'],
		['so many', 'so many tokens'],
		['tells of', 'tells of it'],
		['tells of', 'is told of it'],
		['stands for', 'stands in a row'],
		['stands for', 'stands for a row'],
		['stands for', 'stands of old'],
		['as … has it', 'as LSP has it'],
		['where absent', 'none where absent'],
	])('the style check finds "%s" in comments, test titles and pages: %s', (rule, text) => {
		write('server/code.ts', `const text = '${text}';\n// ${text}\nexport { text };\n`);
		write('test/some.test.ts', `it('${text}', () => {});\ndescribe.each([1])('${text}', () => {});\n`);
		write('docs/page.md', `# Title\n\n\`${text}\`\n\n\`\`\`\n${text}\n\`\`\`\n\n${text}\n`);
		const { passes, offences } = checkStyle();
		expect(passes).toBe(false);
		expect(offences.map((line) => line.slice(0, line.lastIndexOf(': '))).sort()).toEqual([
			`docs/page.md:9: ${rule}`,
			`server/code.ts:2: ${rule}`,
			`test/some.test.ts:1: ${rule}`,
			`test/some.test.ts:2: ${rule}`,
		]);
	});

	it('the style check reads comments of Lua, docstrings of Emacs Lisp, and the help of Neovim', () => {
		write('client-neovim/lua/a.lua', "local text = 'made anew'\n--- It is asked no\n-- more.\n");
		write('client-emacs/a.el', ';; It is asked no\n;; more.\n(defun a ()\n  "Made anew.")\n');
		write('client-neovim/doc/a.txt', 'It is made anew.\n');
		expect(checkStyle().offences.sort()).toEqual([
			'client-emacs/a.el:1: no more: no more',
			'client-emacs/a.el:4: anew: anew',
			'client-neovim/doc/a.txt:1: anew: anew',
			'client-neovim/lua/a.lua:2: no more: no more',
		]);
	});

	it('the style check finds words that a line break divides', () => {
		write('server/block.ts', '/**\n * It is asked no\n * more.\n */\nexport const one = 1;\n');
		write('server/lines.ts', '// It is asked no\n// more.\nexport const two = 2;\n');
		const { offences } = checkStyle();
		expect(offences).toEqual(['server/block.ts:2: no more: no more', 'server/lines.ts:1: no more: no more']);
	});

	it('the style check leaves other uses of the words alone', () => {
		write('docs/page.md', 'LSP stands for a protocol. It has no more than two parts. A folder has it.\n');
		expect(checkStyle()).toEqual({ passes: true, offences: [] });
	});

	it('the style check finds a function of 81 lines and not one of 80', () => {
		const body = (lines: number) => `{\n${'\tone();\n'.repeat(lines - 2)}}`;
		write('server/long.ts', `declare function one(): void;\nexport const run = () => ${body(81)};\n`);
		write('server/short.ts', `declare function one(): void;\nexport const walk = () => ${body(80)};\n`);
		expect(checkStyle().offences).toEqual(['server/long.ts:2: long function: run']);
	});

	it('the style check finds files with more than 400 lines', () => {
		write('test/short.ts', '// A line.\n'.repeat(400));
		write('test/long.ts', '// A line.\n'.repeat(401));
		expect(checkStyle().offences).toEqual(['test/long.ts:1: long file: long.ts']);
	});

	it('the style check finds a function, a method and a callback of five parameters, and none of four', () => {
		write(
			'kit/code.ts',
			`export function five(${parameters}, e: 5) {}\nexport class Any { method(${parameters}, e = 5) {} }\n` +
				`export const callback = (${parameters}, ...e: 5[]) => 1;\nexport function four(${parameters}) {}\n`,
		);
		expect(checkStyle().offences).toEqual([
			'kit/code.ts:1: parameters: five',
			'kit/code.ts:2: parameters: method',
			'kit/code.ts:3: parameters: callback',
		]);
	});

	it('the style check finds a factory that shares four variables, and none that shares three', () => {
		const factory = (name: string, variables: string) =>
			`export function ${name}() {\n${variables};\nreturn { run: () => 1 };\n}\n`;
		write(
			'scripts/code.mjs',
			factory('createFour', 'let a, b; let c, d') + factory('createThree', 'let a, b, c'),
		);
		write(
			'server/inner.ts',
			'export function outer() { let a, b, c, d; function inner() {} return inner; }\n',
		);
		write('server/loop.ts', 'export function count() { let a, b, c, d; return 1; }\n');
		expect(checkStyle().offences).toEqual([
			'scripts/code.mjs:1: factory: createFour',
			'server/inner.ts:1: factory: outer',
		]);
	});

	it('the style check finds a name that two files export, as any kind of declaration', () => {
		write('server/first.ts', 'export type Thing = 1;\nexport const twin = 1;\nexport const Thing = 1;\n');
		write('client-vscode/src/second.ts', 'export function twin() {}\nconst Thing = 1;\n');
		expect(checkStyle().offences).toEqual([
			'client-vscode/src/second.ts:1: exported twice: twin',
			'server/first.ts:2: exported twice: twin',
		]);
	});

	it('the style check finds names that begin with most or least', () => {
		write('test/code.ts', 'const mostTokens = 1;\nfunction run(leastRows: number) { return almostAll; }\n');
		expect(checkStyle().offences).toEqual([
			'test/code.ts:1: limit name: mostTokens',
			'test/code.ts:2: limit name: leastRows',
		]);
	});

	it('the style check finds exported names that are only a past participle', () => {
		write(
			'server/code.ts',
			'export type Needed = 1;\nexport const laid = 1;\nexport function told() {}\n' +
				'export const feed = 1;\nexport const HeldView = 1;\nconst found = 1;\n',
		);
		expect(checkStyle().offences).toEqual([
			'server/code.ts:1: participle: Needed',
			'server/code.ts:2: participle: laid',
			'server/code.ts:3: participle: told',
		]);
	});

	it('the style check reads commit titles after the commit in the list, and none without that history', () => {
		git('init', '--quiet');
		git('commit', '--quiet', '--allow-empty', '--message', 'feat: start anew');
		const start = git('rev-parse', 'HEAD');
		git('commit', '--quiet', '--allow-empty', '--message', 'fix: send so many rows');
		const short = git('rev-parse', '--short', 'HEAD');
		except([], start);
		expect(checkStyle()).toEqual({ passes: false, offences: [`commit ${short}: so many: so many`] });
		except([], '0123456789012345678901234567890123456789');
		expect(checkStyle()).toEqual({ passes: true, offences: [] });
	});

	it('the style check accepts an exception with a reason, and refuses one without, or one that is unused', () => {
		write('server/code.ts', 'export const mostTokens = 1;\n');
		const offences = ['server/code.ts: limit name: mostTokens'];
		except([{ reason: 'Another program chose the name.', offences }]);
		expect(checkStyle()).toEqual({ passes: true, offences: [] });
		except([{ offences }]);
		expect(checkStyle().offences).toEqual(['server/code.ts:1: limit name: mostTokens']);
		write('server/code.ts', 'export const maxTokens = 1;\n');
		except([{ reason: 'Another program chose the name.', offences }]);
		expect(checkStyle()).toMatchObject({
			passes: false,
			offences: [expect.stringContaining('exceptions.json')],
		});
	});
});
