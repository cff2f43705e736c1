/** The checks that a command runs, so that a passing run of more tests settles a failure of fewer. */

import { parseScript } from '../files/touches/shell/script.ts';

/** A check: what it runs, and what it is limited to. */
export interface CheckRun {
	tool: string;
	/** Files, packages and test names; empty if it checks everything. */
	scope: readonly string[];
}

const wrapper = /^(?:npx|bunx|sudo|time|env|nice|exec|command|\w+=.*)$/;
const wrapperWithVerb = /^(?:(?:pnpm|yarn|npm) exec|(?:uv|poetry|pipenv|rye|hatch) run|python3? -m)$/;
/** Options that change only what is printed. */
const neutral =
	/^-(?:v+|q+|s|x|l|race|count(?:=.*)?|benchmem|-(?:verbose|quiet|silent|colou?r.*|no-colou?r|coverage|ci|bail|reporter.*|run|watch=false|tb=.*|no-header|output.*|locked|offline|pretty.*))?$/;
/** Options whose value selects some of the tests. */
const limiting = /^-(?:run|k|t|m|p|-(?:grep|filter|testNamePattern|test|tests|package|bench))$/;
const everything = /^(?:\.|\.\/|\.\/\.\.\.|\.\.\.|all)$/;
/** Words that name files or tests rather than an action of the tool. */
const target = /[\\/*]|::|\.\w+$/;

/** Returns the checks among a script's commands, as decided by `isCheck`; empty if the script cannot be parsed. */
export function checkRunsIn(script: string, isCheck: (words: readonly string[]) => boolean): CheckRun[] {
	return (parseScript(script) ?? []).flatMap(({ commands }) => {
		const words = commands[0]?.words.map(({ text }) => text) ?? [];
		const inner =
			/^(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
		if (inner !== undefined) return checkRunsIn(inner, isCheck);
		return isCheck(words) ? [checkRun(words)] : [];
	});
}

function checkRun(all: readonly string[]): CheckRun {
	let words = all.slice(all.findIndex((word) => !wrapper.test(word)));
	if (wrapperWithVerb.test(words.slice(0, 2).join(' '))) words = words.slice(2);
	if (words[0] === 'timeout') words = words.slice(2);
	const tool: string[] = [];
	const scope: string[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (limiting.test(word)) scope.push(words[++index] ?? '');
		else if (/^-(?:run|k|t|-\w+)=/.test(word) && limiting.test(word.slice(0, word.indexOf('='))))
			scope.push(word);
		else if (index > 0 && (everything.test(word) || neutral.test(word) || word === '--')) continue;
		else if (index > 0 && target.test(word) && !word.startsWith('-')) scope.push(word);
		else tool.push(word);
	}
	return { tool: tool.join(' '), scope };
}

/** Whether a passing run checked everything that a failed one did. */
export function coversFailedRun(passed: CheckRun, failed: CheckRun): boolean {
	return passed.tool === failed.tool && passed.scope.every((one) => failed.scope.includes(one));
}
