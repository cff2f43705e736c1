/**
 * Writes docs/protocol.md and docs/protocol.schema.json from the source of the contract. With `--check` it writes
 * nothing, and fails where they are not what the source says.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readContract } from './protocol/contract.mjs';
import { renderPage } from './protocol/page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every shape by its name, and every message by its method. */
function schemaOf({ lsp, sections, definitions }) {
	const messages = [...lsp, ...sections.flatMap((section) => section.messages)].map(
		({ text, ...message }) => [message.method, { ...message, description: text }],
	);
	return {
		$schema: 'http://json-schema.org/draft-07/schema#',
		title: 'contextd wire contract, version 1',
		messages: Object.fromEntries(messages),
		definitions,
	};
}

const [contract, prose, examples] = await Promise.all([
	readContract(),
	readFile(`${root}/scripts/protocol/page.md`, 'utf8'),
	readFile(`${root}/docs/protocol.examples.json`, 'utf8').then(JSON.parse),
]);
const files = {
	'docs/protocol.md': renderPage(prose, { ...contract, examples }),
	'docs/protocol.schema.json': `${JSON.stringify(schemaOf(contract), null, '\t')}\n`,
};
const isCheck = process.argv.includes('--check');
const stale = [];
for (const [name, text] of Object.entries(files)) {
	const path = `${root}/${name}`;
	if (!isCheck) await writeFile(path, text);
	else if ((await readFile(path, 'utf8').catch(() => '')) !== text) stale.push(name);
}
if (stale.length > 0) {
	process.stderr.write(`${stale.join(' and ')} are not what server/protocol says: run npm run docs\n`);
	process.exitCode = 1;
}
