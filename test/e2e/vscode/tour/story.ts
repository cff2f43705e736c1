/** The work of Claude Code and its user on the shop before the tour, as messages in Anthropic's format. */

import path from 'node:path';
import { projectFiles } from './project.ts';

interface TextBlock {
	type: 'text';
	text: string;
}

interface CallBlock {
	type: 'tool_use';
	id: string;
	name: string;
	input: Record<string, unknown>;
}

interface ResultBlock {
	type: 'tool_result';
	tool_use_id: string;
	content: string;
	is_error?: boolean;
}

/** A message of the story. */
export interface StoryMessage {
	role: 'user' | 'assistant';
	content: string | (TextBlock | CallBlock | ResultBlock)[];
}

const checkout = 'src/orders/checkout.ts';
const tests = 'test/checkout.test.ts';

/** The task, which is also the title of the session. */
export const task = 'Customers in Portugal pay the wrong VAT at checkout. Find out why and fix it.';

/** Returns a file in the form of Claude Code's Read, with the number of each line. */
function numbered(text: string): string {
	return text
		.split('\n')
		.map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
		.join('\n');
}

/** Returns the output of a test run: a line for each test, then the failures. */
function testOutput(failing: number): string {
	const names = [...(projectFiles[tests] ?? '').matchAll(/describe\('([^']+)'/g)].map(
		([, name = '']) => name,
	);
	const lines = names.flatMap((name, index) => [
		` ${index < failing ? '✗' : '✓'} ${name} > has the VAT of its country on clothes ${3 + (index % 7)} ms`,
		` ✓ ${name} > has no VAT if a company of another country buys ${1 + (index % 4)} ms`,
	]);
	const errors = names.slice(0, failing).map(
		(name, index) => `
 FAIL  ${tests} > ${name} > has the VAT of its country on clothes
AssertionError: expected { cents: ${1900 + index * 100}, currency: 'EUR' } to deeply equal { cents: 2300, currency: 'EUR' }
    at ${checkout}:${180 + index * 8}:24
    at ${tests}:${20 + index * 13}:31
    at runTest (node_modules/@vitest/runner/dist/index.js:781:11)
    at runSuite (node_modules/@vitest/runner/dist/index.js:909:15)`,
	);
	return [...lines, ...errors, '', ` Tests  ${failing} failed | ${lines.length - failing} passed`].join('\n');
}

/** Writes the messages of a story in order. */
class Story {
	readonly messages: StoryMessage[] = [];
	#calls = 0;
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	asks(text: string): void {
		this.messages.push({ role: 'user', content: text });
	}

	says(text: string): void {
		this.messages.push({ role: 'assistant', content: [{ type: 'text', text }] });
	}

	#does(
		why: string,
		call: Omit<CallBlock, 'type' | 'id'>,
		result: Omit<ResultBlock, 'type' | 'tool_use_id'>,
	): void {
		const id = `toolu_${++this.#calls}`;
		const content = [
			{ type: 'text' as const, text: why },
			{ type: 'tool_use' as const, id, ...call },
		];
		this.messages.push(
			{ role: 'assistant', content },
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, ...result }] },
		);
	}

	reads(why: string, name: string): void {
		const input = { file_path: path.join(this.#folder, name) };
		this.#does(why, { name: 'Read', input }, { content: numbered(projectFiles[name] ?? '') });
	}

	edits(why: string, name: string, from: string, to: string): void {
		const input = { file_path: path.join(this.#folder, name), old_string: from, new_string: to };
		const content = `The file ${input.file_path} has been updated.`;
		this.#does(why, { name: 'Edit', input }, { content });
	}

	runs(why: string, command: string, content: string, isFailed = false): void {
		this.#does(why, { name: 'Bash', input: { command } }, { content, ...(isFailed && { is_error: true }) });
	}
}

const rounds = [
	['Portugal uses the rate of Malta.', 'vatRules.Portugal = vatOfMalta', 'vatRules.Portugal = vatOfPortugal'],
	['Madeira has a rate of its own.', 'const region = undefined', 'const region = regionOf(order.deliverTo)'],
	['The Azores are missing too.', "if (region === 'Madeira')", 'if (islandRates[region])'],
	['Companies must not pay VAT.', 'return percentOf(', 'return isCompany(order) ? none : percentOf('],
	['Rounding happens per line, not per order.', 'Math.round(line', 'roundOnce(order'],
	['Shipping has VAT as well.', 'add(goods, shipping)', 'add(goods, withVat(shipping))'],
	['Vouchers reduce the base of the VAT.', 'sumOf(order.lines)', 'sumOf(afterVouchers(order))'],
] as const;

/** Returns the messages of the story in a workspace. The same file is read and the same tests are run many times. */
export function storyIn(folder: string): StoryMessage[] {
	const story = new Story(folder);
	story.asks(task);
	story.reads('I look at how the VAT is chosen.', checkout);
	story.reads('And at the order itself.', 'src/orders/order.ts');
	story.reads('The tests say what is expected.', tests);
	story.runs('I run the tests.', 'npm test', testOutput(9), true);
	for (const [index, [finding, from, to]] of rounds.entries()) {
		story.edits(finding, checkout, from, to);
		story.runs('I run the tests again.', 'npm test', testOutput(8 - index), index < 6);
		story.reads('I look at the file again.', checkout);
		if (index === 2)
			story.asks('Good. Please handle the Azores and Madeira as well, and keep the rates in one table.');
		if (index === 4) story.reads('The routes show who calls it.', 'src/api/routes.ts');
	}
	story.reads('I check the tests once more.', tests);
	story.says(
		'Orders to Portugal now have 23% VAT, Madeira 22% and the Azores 16%. The rates are in one table, and one test still fails: rounding of refunds.',
	);
	return story.messages;
}

/** Returns one more turn, which reads the file again. */
export function nextTurn(folder: string): StoryMessage[] {
	const story = new Story(folder);
	story.asks('Fix the refund as well.');
	story.reads('I look at the file again.', checkout);
	return story.messages;
}
