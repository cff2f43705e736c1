import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFileAccess, findTouches } from '../../../server/core/files/findTouches.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

function shell(command: unknown, workdir?: string): string[] {
	return findTouches({ id: 'c', name: 'exec_command', args: { cmd: command, workdir } }).map((touch) => {
		const lines =
			touch.lastLines === undefined ? `${touch.from ?? 1}-${touch.to ?? ''}` : `last ${touch.lastLines}`;
		return `${touch.kind} ${touch.path}${touch.kind === 'read' ? ` ${lines}` : ''}`;
	});
}

describe('reads by shell', () => {
	it.each<[unknown, string[]]>([
		['cat a.ts', ['read a.ts 1-']],
		['cat -n ./a.ts "b c.ts"', ['read a.ts 1-', 'read b c.ts 1-']],
		["sed -n '10,20p' a.ts", ['read a.ts 10-20']],
		["sed -n '10,20p;30,$p' a.ts", ['read a.ts 10-20', 'read a.ts 30-']],
		["sed -n -e 5p -e '7,8p' a.ts", ['read a.ts 5-5', 'read a.ts 7-8']],
		['head -n 5 a.ts', ['read a.ts 1-5']],
		['head -40 a.ts 2>/dev/null', ['read a.ts 1-40']],
		['head a.ts', ['read a.ts 1-10']],
		['tail -n +30 a.ts', ['read a.ts 30-']],
		['tail -20 a.ts', ['read a.ts last 20']],
		["nl -ba a.ts | sed -n '90,240p'", ['read a.ts 90-240']],
		['cat a.ts | head -50 | tail -n +11', ['read a.ts 11-50']],
		['head -100 a.ts | tail -20', ['read a.ts 81-100']],
		['cat < a.ts', ['read a.ts 1-']],
		['Get-Content -Raw src\\a.ts', ['read src/a.ts 1-']],
		["Get-Content -LiteralPath 'app\\[id]\\a b.ts' -Encoding UTF8", ['read app/[id]/a b.ts 1-']],
		['Set-Location C:\\w; Get-Content .\\a.ts -TotalCount 25', ['read C:/w/a.ts 1-25']],
		['Get-Content a.ts -Tail 5', ['read a.ts last 5']],
		['Get-Content a.ts | Select-Object -Skip 100 -First 50', ['read a.ts 101-150']],
		['Get-Content a.ts | Select-Object -Last 20', ['read a.ts last 20']],
		[
			"@'\n$i=1; Get-Content src/a.ts | ForEach-Object { '{0,4}: {1}' -f $i, $_; $i++ }\n'@ | powershell -NoProfile -Command -",
			['read src/a.ts 1-'],
		],
		['Get-ChildItem src -Recurse | Select-String -Pattern "tide" | Out-String', []],
		['Move-Item -Path a.ts -Destination src\\b.ts', ['edit a.ts', 'edit src/b.ts']],
		['Get-ChildItem src', []],
		[
			"cd /w/p && sed -n '1,5p' src/a.ts && printf '\\n--\\n' && cat ../b",
			['read /w/p/src/a.ts 1-5', 'read /w/b 1-'],
		],
		['bash -lc "sed -n \'111,220p\' docs/a.md"', ['read docs/a.md 111-220']],
		[['bash', '-lc', 'cd src; cat a.ts'], ['read src/a.ts 1-']],
		[['sed', '-n', '1,5p', 'with space.ts'], ['read with space.ts 1-5']],
		['cat a.ts || true', ['read a.ts 1-']],
		['# look\ncat a.ts # all of it\n', ['read a.ts 1-']],
		['cat ~/x/../y', ['read ~/y 1-']],
		['D=/srv/logs; cat $D/a.log "$D/b c.log"', ['read /srv/logs/a.log 1-', 'read /srv/logs/b c.log 1-']],
		['export D=src F=a.ts\ncd $D && cat $F', ['read src/a.ts 1-']],
		['D=one; D=two; cat $D', ['read two 1-']],
	])('reads of the shell command %j', (command, expected) => {
		expect(shell(command)).toEqual(expected);
	});

	it('paths in a shell command are resolved against its folder, and absolute ones kept', () => {
		expect(shell('cat a.ts /x/b.ts', '/w/p/')).toEqual(['read /w/p/a.ts 1-', 'read /x/b.ts 1-']);
	});
});

describe('edits by shell', () => {
	it.each<[string, string[]]>([
		['echo hi > a.txt', ['edit a.txt']],
		['cat a > b', ['edit b']],
		["cat >> out.md <<'EOF'\ncat not/a/read\nEOF\ncat a", ['edit out.md', 'read a 1-']],
		['npm test 2>&1 | tee log.txt', ['edit log.txt']],
		["sed -i '' 's/a/b/' x.ts", ['edit x.ts']],
		["sed -i.bak -e 's/a/b/' x.ts y.ts", ['edit x.ts', 'edit y.ts']],
		['mv a b && rm -f c', ['edit a', 'edit b', 'edit c']],
		['mv a.ts b.ts lib/', ['edit a.ts', 'edit b.ts', 'edit lib/a.ts', 'edit lib/b.ts']],
		['mv a.ts "$OUT/"', ['edit a.ts']],
		['mv a.ts $OUT/b.ts', ['edit a.ts']],
		['cp a.ts lib/', ['edit lib/a.ts']],
		['cp src/a.ts src/b.ts lib', ['edit lib/a.ts', 'edit lib/b.ts']],
		['cp "$KEPT/a.ts" b.ts', ['edit b.ts']],
		['KEPT=/tmp/kept; cp $KEPT/a.ts $KEPT/b.ts lib/', ['edit lib/a.ts', 'edit lib/b.ts']],
		['cp -t lib a.ts b.ts', []],
		['cp -r "$KEPT" lib', []],
		['cp -r /tmp/origin ~/Code/fork', []],
		['cp -a a.ts b.ts', ['edit b.ts']],
		['cp "$KEPT"/* lib/', []],
		['npm test > /dev/null 2>&1', []],
	])('edits of the shell command %j', (command, expected) => {
		expect(shell(command)).toEqual(expected);
	});
});

describe('what is unclear touches nothing', () => {
	it.each([
		'cat "$FILE"',
		'FILE=a cat $FILE',
		'FILE="a b"; cat $FILE',
		'FILE=$(mktemp); cat $FILE',
		'FILE=a; FILE=$(mktemp); cat $FILE',
		"FILE=a; cat '$FILE'x*",
		'cat *.ts',
		'cat $(ls | head -1)',
		'cat a.ts | grep x',
		'cat a b | head -5',
		'git show HEAD:a.ts | sed -n 1,5p',
		"sed -n '/from/,/to/p' a.ts",
		"sed 's/a/b/' a.ts",
		'head -c 100 a.ts',
		'cat a.ts || cat b.ts',
		'cd "$X" && cat a.ts',
		'for f in a b; do cat $f; done',
		'if true; then cat a; fi',
		'(cd x && cat a)',
		'echo "cat a.ts"',
		"git commit -m 'please read file a.ts'",
		`git commit -m "$(cat <<'EOF'\nDon't && cat a.ts\nEOF\n)"`,
		"cat 'unclosed",
		'cat $(unclosed',
		'cat <<EOF\nno end',
		'tail -f log',
	])('the unclear shell command %j touches nothing', (command) => {
		expect(shell(command)).toEqual([]);
	});
});

it('a result is reported as files only if no other command prints anything', () => {
	const only = (cmd: string) =>
		findFileAccess({ id: 'c', name: 'bash', args: { command: cmd } }).showsOnlyFiles;
	expect(only('cd x && cat a && echo --- && head -5 b')).toBe(true);
	expect(only('git status && cat a')).toBe(false);
	expect(only('cat a; grep x b')).toBe(false);
	expect(only('echo hi')).toBe(false);
});

it('parsing a shell script never throws', () => {
	const piece = fc.constantFrom(
		'cat',
		' a',
		'$(',
		')',
		'`',
		'"',
		"'",
		'<<E',
		'\nE\n',
		'|',
		'&&',
		'>',
		'\\',
		'${',
		'}',
		'2>&1',
		'#',
		'(',
	);
	fc.assert(
		fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 30 }), (pieces) => {
			expect(Array.isArray(shell(pieces.join('')))).toBe(true);
		}),
		{ numRuns: 500 },
	);
});

it('a long hostile shell script is parsed in linear time', () => {
	const spent = processorClock();
	for (const unit of ['$(', '"$(', '`', "'", '<<a ', 'a ', '2>', '{', '\\', '$(<<"', '(('])
		shell(`cat ${unit.repeat(100_000)}`);
	expect(spent()).toBeLessThan(4000 * machineSlowness());
});
