/**
 * Writes docs/protocol.md, docs/protocol.schema.json, the schema of the settings and the manifest of VS Code from the
 * source of the contract. With `--check`, writes nothing and fails if one of them is outdated.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readContract } from './protocol/contract.mjs';
import { renderProtocolPage } from './protocol/page.mjs';
import { renderManifest } from './protocol/settingsSchema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns every shape by its name, and every message by its method. */
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

/** Returns JSON with one message or shape per line: it is a fifth smaller than with every member on its own line. */
function linesOf(schema) {
	const members = Object.entries(schema).map(([name, value]) => {
		if (typeof value === 'string') return `\t${JSON.stringify(name)}: ${JSON.stringify(value)}`;
		const lines = Object.entries(value).map(
			([member, shape]) => `\t\t${JSON.stringify(member)}: ${JSON.stringify(shape)}`,
		);
		return `\t${JSON.stringify(name)}: {\n${lines.join(',\n')}\n\t}`;
	});
	return `{\n${members.join(',\n')}\n}\n`;
}

const manifestPath = 'client-vscode/package.json';
const [contract, prose, examples, manifest] = await Promise.all([
	readContract(),
	readFile(`${root}/scripts/protocol/page.md`, 'utf8'),
	readFile(`${root}/docs/protocol.examples.json`, 'utf8').then(JSON.parse),
	readFile(`${root}/${manifestPath}`, 'utf8'),
]);
const files = {
	'docs/protocol.md': renderProtocolPage(prose, { ...contract, examples }),
	'server/core/settings/schema.json': `${JSON.stringify(contract.settingsSchema, null, '\t')}\n`,
	[manifestPath]: renderManifest(manifest, contract.settingsSchema),
	'docs/protocol.schema.json': linesOf(schemaOf(contract)),
};
const isCheck = process.argv.includes('--check');
const stale = [];
for (const [name, text] of Object.entries(files)) {
	const path = `${root}/${name}`;
	if (!isCheck) await writeFile(path, text);
	else if ((await readFile(path, 'utf8').catch(() => '')) !== text) stale.push(name);
}
if (stale.length > 0) {
	process.stderr.write(`${stale.join(' and ')} are outdated: run npm run docs\n`);
	process.exitCode = 1;
}
