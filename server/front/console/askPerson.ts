import { createInterface } from 'node:readline/promises';
import { span } from '../output/line.ts';
import { type FrontIo, renderReport } from './terminal.ts';

/** Asks a person at the terminal. Returns the answer, or `n` if the input ends first. */
export async function askPerson(question: string, { stdin, stdout, env }: FrontIo): Promise<string> {
	const lines = createInterface({ input: stdin, output: stdout });
	const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('n')));
	try {
		return await Promise.race([
			lines.question(`${renderReport([[span(question)]], stdout, env).trimEnd()} `),
			ended,
		]);
	} finally {
		lines.close();
	}
}

/** Asks a person a question that ends with `[y/N]`; returns whether the answer is yes. */
export async function askYesNo(question: string, io: FrontIo): Promise<boolean> {
	return /^y(?:es)?$/i.test((await askPerson(question, io)).trim());
}
