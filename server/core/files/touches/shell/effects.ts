import { patchedPaths } from '../patch.ts';
import type { ShellCommand } from './script.ts';

/** Commands that change nothing and say nothing of their own but a line that the script itself holds. */
const silent = new Set(['cd', 'echo', 'printf', 'true', ':', 'export', 'set', 'sleep', 'exit', 'unset']);
const nowhere = /^(?:\/dev\/(?:null|stdout|stderr|tty)|&?\d|-)$/;

/** Whether the command's output is nothing but what its script says. */
export function isSilent(command: ShellCommand): boolean {
	return silent.has(command.words[0]?.text ?? '');
}

/** Whether the command's output goes into a file instead of the result. */
export function writesElsewhere(command: ShellCommand): boolean {
	return command.redirections.some(
		({ operator, descriptor }) => isOutput(operator) && descriptor !== '2' && operator !== '>&',
	);
}

/** The files that a command writes, changes, moves or removes, as it names them; none where that is unclear. */
export function changedFiles(command: ShellCommand): string[] {
	const written = command.redirections
		.filter(({ operator, target }) => isOutput(operator) && target.known && !nowhere.test(target.text))
		.map(({ target }) => target.text);
	return [...written, ...changedByName(command)];
}

function isOutput(operator: string): boolean {
	return operator.includes('>') && operator !== '<>';
}

function changedByName(command: ShellCommand): string[] {
	const [name, ...rest] = command.words;
	const operands = rest.filter((word) => word.known && !word.text.startsWith('-')).map((word) => word.text);
	switch (name?.text) {
		case 'tee':
		case 'rm':
		case 'truncate':
		case 'mv':
			return operands;
		case 'cp':
			return rest.every((word) => word.known) && operands.length === 2 ? operands.slice(1) : [];
		case 'sed':
			return changedInPlace(command);
		case 'apply_patch':
		case 'applypatch':
			return patchedPaths(command.document ?? rest[0]?.text ?? '');
		default:
			return [];
	}
}

function changedInPlace(command: ShellCommand): string[] {
	const words = command.words.slice(1);
	const inPlace = words.findIndex(({ text }) => /^-[nEr]*i|^--in-place/.test(text));
	if (inPlace < 0) return [];
	const scripts = words.some(({ text }) => text === '-e' || text === '-f' || text === '--expression');
	const operands: string[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index];
		if (word === undefined) continue;
		const isSuffix = index === inPlace + 1 && word.text === '';
		if (word.text === '-e' || word.text === '-f' || word.text === '--expression') index++;
		else if (!word.text.startsWith('-') && !isSuffix) operands.push(word.known ? word.text : '');
	}
	return (scripts ? operands : operands.slice(1)).filter((path) => path !== '');
}
