import { readFileSync } from 'node:fs';
import { Ajv, type AnySchemaObject } from 'ajv';
import { describe, expect, it } from 'vitest';
import * as contract from '../../server/protocol/index.ts';
import * as lifecycle from '../../server/protocol/lifecycle.ts';
import * as lsp from '../../server/protocol/lsp.ts';
import { startTestApp } from '../support/app.ts';

interface Example {
	method: string;
	params: Record<string, unknown>;
	result?: unknown;
}

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = read('protocol.md');
const schema: { messages: object } = JSON.parse(read('protocol.schema.json'));
const examples: Example[] = JSON.parse(read('protocol.examples.json'));

/** The contract as a schema that takes no member which it does not name, so that nothing is sent that nobody is told of. */
const closed: AnySchemaObject = JSON.parse(JSON.stringify(schema), (_, value) =>
	value?.properties && value.additionalProperties === undefined
		? { ...value, additionalProperties: false }
		: value,
);
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(closed, 'contract');

/** What is wrong with the params or the result of a message by its schema. */
function problemsOf(method: string, part: 'params' | 'result', value: unknown): unknown[] {
	const check = ajv.getSchema(`contract#/messages/${method.replaceAll('/', '~1')}/${part}`);
	if (check === undefined) throw new Error(`${method} has no ${part}`);
	return check(value) ? [] : (check.errors ?? []);
}

/** The messages of the contract that are not LSP's. */
const declared = Object.values(contract).filter((one) => typeof one === 'object' && 'since' in one);
const ofLsp = [...Object.values(lifecycle), ...Object.values(lsp)];

describe('docs/protocol.md', () => {
	it('tells of every method that the daemon lists, and of no other request to it', async () => {
		const app = await startTestApp();
		await app.stop();
		const { methods } = app.initialized.capabilities.experimental.contextd;
		for (const method of methods) expect(page).toContain(`\n### \`${method}\`\n`);
		const requests = [...page.matchAll(/\n### `((?:context|session)\/\w+)`\n\n.*\n\nRequest to the daemon/g)];
		expect(requests.map(([, method]) => method).sort()).toEqual([...methods].sort());
	});

	it('has an example of every message of its own', () => {
		const shown = examples.map(({ method }) => method);
		expect(declared.filter(({ method }) => !shown.includes(method))).toEqual([]);
	});

	it('links to the specification of LSP for each of its messages', () => {
		const specification =
			'https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/';
		for (const { method } of ofLsp) {
			const anchor = method.replace('$/', '').replaceAll('/', '_');
			expect(page).toContain(`| [\`${method}\`](${specification}#${anchor}) |`);
		}
	});

	it('links to what is there', () => {
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
	it('has every message', () => {
		const methods = [...ofLsp, ...declared].map(({ method }) => method);
		expect(Object.keys(schema.messages).sort()).toEqual(methods.sort());
	});

	const ofContract = examples.filter(({ method }) => declared.some((one) => one.method === method));

	it.each(ofContract.map((example) => [example.method, example] as const))(
		'names all that the example of %s sends and gets',
		(method, { params, result }) => {
			const said = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
			expect(problemsOf(method, 'params', said)).toEqual([]);
			if (result !== undefined) expect(problemsOf(method, 'result', result)).toEqual([]);
		},
	);
});
