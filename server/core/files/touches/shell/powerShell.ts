/** Translates commands of PowerShell that read, move and remove files, so that they are read like those of other shells. */

/** Names in other shells. */
const programs: Readonly<Record<string, string>> = {
	'get-content': 'cat',
	'set-location': 'cd',
	'remove-item': 'rm',
	'move-item': 'mv',
	'copy-item': 'cp',
	'select-object': 'cat',
};
/** A command of PowerShell with its arguments, after a separator. */
const commandPattern =
	/(^|[;|\n({][ \t]{0,9})((?:Get-Content|Set-Location|(?:Remove|Move|Copy)-Item|Select-Object)(?![\w-]))([^;|\n]{0,2000})/gi;
const optionPattern =
	/ -(?:LiteralPath|Path|Destination|Raw|Force|Recurse|(?:Encoding|ErrorAction) \w{1,20})(?![\w-])/gi;
const firstPattern = / -(?:TotalCount|First|Head) (\d{1,7})(?!\d)/i;
const lastPattern = / -(?:Tail|Last) (\d{1,7})(?!\d)/i;
const skipPattern = / -Skip (\d{1,7})(?!\d)/i;

/** Returns a script with the commands of other shells in place of those of PowerShell, and slashes in paths. Linear. */
export function translatePowerShell(script: string): string {
	// Most scripts have no such word, and a search for its end is many times as fast as for all of it.
	if (!/-(?:Content|Location|Item)\b/i.test(script)) return script;
	if (!/\b(?:Get-Content|Set-Location|(?:Remove|Move|Copy)-Item)\b/i.test(script)) return script;
	return script
		.replaceAll('\\', '/')
		.replace(commandPattern, (_, start: string, name: string, rest: string) => start + translate(name, rest));
}

function translate(name: string, rest: string): string {
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
