/** Made-up messages of an agent that works on a repository: prose between calls of Read, Edit and Bash with paths. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';

const seed = 20_260_101;
const rooms = 'parser lexer window tokens journal session budget stages render format'.split(' ');
const nouns = 'reader cache index buffer cursor limit handler queue record table'.split(' ');
const verbs = 'reads keeps drops merges splits counts closes opens checks writes'.split(' ');
const plain =
	'because the first of them still holds what was left when another one came back from its wait and nothing else had changed'.split(
		' ',
	);

/** Returns a generator of numbers from 0 to `below`, the same in every run. Constants of Numerical Recipes. */
function numbersFrom(start: number): (below: number) => number {
	let state = start >>> 0;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

/**
 * Returns `count` messages of about 360 UTF-16 units: every fortieth is a prompt, the others repeat two messages of prose, a
 * call and its result.
 */
export function sessionOfWork(count: number): ChatMessage[] {
	const below = numbersFrom(seed);
	const one = (words: readonly string[]): string => words[below(words.length)] ?? '';
	const file = (): string => `/repo/src/${one(rooms)}/${one(nouns)}${below(40)}.ts`;
	const name = (): string => {
		const noun = one(nouns);
		return `${one(verbs)}${noun.charAt(0).toUpperCase()}${noun.slice(1)}${below(90)}`;
	};
	const sentence = (): string => {
		const words = Array.from({ length: 6 + below(10) }, () => one(plain));
		return `The ${one(nouns)} ${one(verbs)} \`${name()}\` ${words.join(' ')}.`;
	};
	const filled = (length: number, between: string, piece: () => string): string => {
		let text = piece();
		while (text.length < length) text += between + piece();
		return text;
	};
	const line = (): string => `\tconst ${name()} = await ${name()}(${one(nouns)}, ${below(5000)});`;
	const prose = (length: number): string => filled(length, ' ', sentence);
	const lines = (length: number): string => filled(length, '\n', line);
	const numbered = (length: number): string => {
		let index = 1 + below(400);
		return filled(length, '\n', () => `${String(index++).padStart(6)}\t${line()}`);
	};
	const output = (): string => {
		const failed = below(6) === 0;
		const report = () => `${one(['ok', 'PASS', 'at'])} ${file()}:${below(900)} ${name()} ${below(400)} ms`;
		const end = failed
			? `TypeError: ${name()} is not a function`
			: `Tests ${below(900)} passed (${below(90)} files)`;
		return `${filled(300, '\n', report)}\n${end}\nExit code: ${failed ? 1 : 0}`;
	};
	const works: (() => { name: string; args: Record<string, unknown>; result: string })[] = [
		() => ({
			name: 'Read',
			args: { file_path: file(), offset: 1 + below(400), limit: 40 },
			result: numbered(700),
		}),
		() => {
			const path = file();
			const args = { file_path: path, old_string: lines(120), new_string: lines(160) };
			return { name: 'Edit', args, result: `The file ${path} has been updated.` };
		},
		() => ({
			name: 'Bash',
			args: { command: `cd /repo && npx vitest run ${file()} -t "${name()}" 2>&1 | tail -n ${below(90)}` },
			result: output(),
		}),
	];
	const messages: ChatMessage[] = [];
	while (messages.length < count) {
		const index = messages.length;
		if (index % 40 === 0) messages.push({ role: 'user', content: prose(160) });
		else messages.push({ role: 'assistant', content: prose(300) });
		messages.push({ role: 'assistant', content: prose(300) });
		const {
			name: tool,
			args,
			result,
		} = (works[below(works.length)] ?? works[0])?.() ?? {
			name: '',
			args: {},
			result: '',
		};
		messages.push({
			role: 'assistant',
			content: prose(100),
			toolCalls: [{ id: `call-${index}`, name: tool, args }],
		});
		messages.push({ role: 'tool', toolCallId: `call-${index}`, toolName: tool, content: result });
	}
	return messages.slice(0, count);
}
