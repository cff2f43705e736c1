/** Translates commands of PowerShell that read, move and remove files, so that they are read like those of other shells. */

/** Names in other shells. */
const programs: Readonly<Record<string, string>> = {
	'get-content': 'cat',
	'set-location': 'cd',
	'remove-item': 'rm',
	'move-item': 'mv',
	'copy-item': 'cp',
	'select-object': 'cat',
	'out-string': 'cat',
	'get-childitem': 'ls',
	'select-string': 'grep',
	'measure-object': 'wc',
};
/** A command of PowerShell with its arguments, after a separator. */
const commandPattern =
	/(^|[;|\n({][ \t]{0,9})((?:Get-Content|Get-ChildItem|Set-Location|(?:Remove|Move|Copy)-Item|(?:Select|Measure)-Object|Select-String|Out-String)(?![\w-]))([^;|\n]{0,2000})/gi;
const optionPattern =
	/ -(?:LiteralPath|Path|Destination|Raw|Force|Recurse|(?:Encoding|ErrorAction) \w{1,20})(?![\w-])/gi;
const firstPattern = / -(?:TotalCount|First|Head) (\d{1,7})(?!\d)/i;
const lastPattern = / -(?:Tail|Last) (\d{1,7})(?!\d)/i;
const skipPattern = / -Skip (\d{1,7})(?!\d)/i;
const searchedPattern = / -Pattern ("[^"\n]{0,400}"|'[^'\n]{0,400}'|\S{1,400})/i;
/** A script that another shell passes to PowerShell as its input. */
const passedScriptPattern =
	/^\s{0,9}@'\n([\s\S]{0,20000}?)\n'@ \| (?:powershell|pwsh)(?:\.exe)?(?: -NoProfile)? -Command -\s{0,9}$/i;
/** A loop that numbers or formats lines, and the start of its counter. */
const formattingPattern =
	/\|\s{0,9}(?:ForEach-Object|%)\s{0,9}\{(?:'[^'\n]{0,200}'|"[^"\n]{0,200}"|[^{}'"\n-]|-f\b){0,400}\}/gi;
const counterPattern = /^\s{0,9}\$\w{1,20}\s?=\s?\d{1,7};\s{0,9}/;

/** Returns the script that another shell passes to PowerShell, and a script without loops that only number its lines. Linear. */
export function simplifyPowerShell(script: string): string {
	const inner = passedScriptPattern.exec(script)?.[1] ?? script;
	return inner.replace(counterPattern, '').replace(formattingPattern, '').trim();
}

/** Returns a script with the commands of other shells in place of those of PowerShell, and slashes in paths. Linear. */
export function translatePowerShell(script: string): string {
	// Most scripts have no such word, and a search for its end is many times as fast as for all of it.
	if (!/-(?:Content|Location|Item|ChildItem|String)\b/i.test(script)) return script;
	if (!/\b(?:Get-Content|Get-ChildItem|Set-Location|Select-String|(?:Remove|Move|Copy)-Item)\b/i.test(script))
		return script;
	return simplifyPowerShell(script)
		.replaceAll('\\', '/')
		.replace(commandPattern, (_, start: string, name: string, rest: string) => start + translate(name, rest));
}

function translate(name: string, rest: string): string {
	const searched = /^select-string$/i.test(name) ? searchedPattern.exec(rest) : null;
	if (searched) return `grep -n ${searched[1]}${rest.replace(searched[0], '').replace(optionPattern, '')}`;
	const first = Number(firstPattern.exec(rest)?.[1] ?? 0);
	const last = lastPattern.exec(rest)?.[1];
	const skipped = Number(skipPattern.exec(rest)?.[1] ?? 0);
	const operands = [optionPattern, firstPattern, lastPattern, skipPattern].reduce(
		(text, option) => text.replace(option, ''),
		rest,
	);
	if (skipped > 0) return `sed -n '${skipped + 1},${first > 0 ? skipped + first : '$'}p'${operands}`;
	if (first > 0) return `head -n ${first}${operands}`;
	if (last !== undefined) return `tail -n ${last}${operands}`;
	return (programs[name.toLowerCase()] ?? name) + operands;
}
