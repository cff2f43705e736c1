import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv, type AnySchemaObject } from 'ajv';
import { afterEach, describe, expect, it } from 'vitest';
import * as contract from '../../server/protocol/index.ts';
import * as lifecycle from '../../server/protocol/lifecycle.ts';
import * as lsp from '../../server/protocol/lsp.ts';
import { freshFolder, removeFolders, startTestApp } from '../support/app.ts';

afterEach(removeFolders);

interface Example {
	method: string;
	params: Record<string, unknown>;
	result?: unknown;
}

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = read('protocol.md');
const schema: { messages: object } = JSON.parse(read('protocol.schema.json'));
const examples: Example[] = JSON.parse(read('protocol.examples.json'));

/** The contract as a schema that refuses undeclared members, so that no undocumented member is sent. */
const closed: AnySchemaObject = JSON.parse(JSON.stringify(schema), (_, value) =>
	value?.properties && value.additionalProperties === undefined
		? { ...value, additionalProperties: false }
		: value,
);
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(closed, 'contract');

/** Returns the problems of a message's params or result by its schema. */
function problemsOf(method: string, part: 'params' | 'result', value: unknown): unknown[] {
	const check = ajv.getSchema(`contract#/messages/${method.replaceAll('/', '~1')}/${part}`);
	if (check === undefined) throw new Error(`${method} has no ${part}`);
	return check(value) ? [] : (check.errors ?? []);
}

/** The messages of the contract that are not part of LSP. */
const declared = Object.values(contract).filter((one) => typeof one === 'object' && 'since' in one);
const ofLsp = [...Object.values(lifecycle), ...Object.values(lsp)];

describe('docs/protocol.md', () => {
	it('docs/protocol.md describes every method that the daemon lists, and no other request to it', async () => {
		const app = await startTestApp();
		await app.stop();
		const { methods } = app.initialized.capabilities.experimental.contextd;
		for (const method of methods) expect(page).toContain(`\n### \`${method}\`\n`);
		const requests = [
			...page.matchAll(/\n### `((?:context|recorder|session)\/\w+)`\n\n.*\n\nRequest to the daemon/g),
		];
		expect(requests.map(([, method]) => method).sort()).toEqual([...methods].sort());
	});

	it('docs/protocol.md has an example of every message that is not part of LSP', () => {
		const shown = examples.map(({ method }) => method);
		expect(declared.filter(({ method }) => !shown.includes(method))).toEqual([]);
	});

	it('docs/protocol.md links each message of LSP to its specification', () => {
		const specification =
			'https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/';
		for (const { method } of ofLsp) {
			const anchor = method.replace('$/', '').replaceAll('/', '_');
			expect(page).toContain(`| [\`${method}\`](${specification}#${anchor}) |`);
		}
	});

	it('docs/protocol.md links only to headings that exist', () => {
		const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, name]) => name);
		const headings = [...page.matchAll(/\n#+ (.*)\n/g)].map(([, name]) =>
			name
				?.toLowerCase()
				.replaceAll(/[^\w\- ]/g, '')
				.replaceAll(' ', '-'),
		);
		expect(headings.filter((name, index) => headings.indexOf(name) !== index)).toEqual([]);
		expect(links.filter((name) => !headings.includes(name))).toEqual([]);
	});
});

describe('docs/protocol.schema.json', () => {
	it('docs/protocol.schema.json has every message', () => {
		const methods = [...ofLsp, ...declared].map(({ method }) => method);
		expect(Object.keys(schema.messages).sort()).toEqual(methods.sort());
	});

	const ofContract = examples.filter(({ method }) => declared.some((one) => one.method === method));

	it.each(ofContract.map((example) => [example.method, example] as const))(
		'docs/protocol.schema.json declares every member in the example of %s',
		(method, { params, result }) => {
			const said = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
			expect(problemsOf(method, 'params', said)).toEqual([]);
			if (result !== undefined) expect(problemsOf(method, 'result', result)).toEqual([]);
		},
	);

	it('docs/protocol.schema.json allows the figures of a transcript whose agent compacts below its window', async () => {
		const app = await startTestApp();
		const path = join(freshFolder(), 's1.jsonl');
		const line = { type: 'user', sessionId: 's1', uuid: 'u1', message: { role: 'user', content: 'Hello' } };
		const answer = { role: 'assistant', model: 'claude-opus-4-5', content: [{ type: 'text', text: 'Hi' }] };
		const answerLine = { ...line, type: 'assistant', uuid: 'u2', parentUuid: 'u1', message: answer };
		await writeFile(path, `${JSON.stringify(line)}\n${JSON.stringify(answerLine)}\n`);
		const { result } = await app.start('context/import', { path }).reply;
		const { sessionId } = result as { sessionId: string };
		const { result: stats } = await app.start('context/stats', { sessionId }).reply;
		await app.stop();
		expect((stats as { thresholds: { overflow: number } }).thresholds.overflow).toBeGreaterThan(1);
		expect(problemsOf('context/stats', 'result', stats)).toEqual([]);
	});
});
