/** The checks that a command runs, so that a run of more tests settles a failure of fewer. */

import { parseScript } from '../../files/touches/shell/script.ts';

/** A check: what it runs, and to what it is limited. */
export interface CheckRun {
	tool: string;
	/** Files, packages and names of tests; none: it checks everything. */
	scope: readonly string[];
}

const wrapper = /^(?:npx|bunx|sudo|time|env|nice|exec|command|\w+=.*)$/;
const wrapperWithVerb = /^(?:(?:pnpm|yarn|npm) exec|(?:uv|poetry|pipenv|rye|hatch) run|python3? -m)$/;
/** Options that change what is printed, not what is checked. */
const neutral =
	/^-(?:v+|q+|s|x|l|race|count(?:=.*)?|benchmem|-(?:verbose|quiet|silent|colou?r.*|no-colou?r|coverage|ci|bail|reporter.*|run|watch=false|tb=.*|no-header|output.*|locked|offline|pretty.*))?$/;
/** Options whose value names some of the tests. */
const limiting = /^-(?:run|k|t|m|p|-(?:grep|filter|testNamePattern|test|tests|package|bench))$/;
const everything = /^(?:\.|\.\/|\.\/\.\.\.|\.\.\.|all)$/;
/** Words that name a part of the tests rather than what the tool does. */
const target = /[\\/*]|::|\.\w+$/;

/** The checks among the commands of a script; `isCheck` decides by a command's words. Empty if it cannot be read. */
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

/** Whether a run that passed checked all that another did. */
export function settles(passed: CheckRun, failed: CheckRun): boolean {
	return passed.tool === failed.tool && passed.scope.every((one) => failed.scope.includes(one));
}
