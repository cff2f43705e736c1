/**
 * Writes docs/protocol.md, docs/protocol.schema.json, the schema of the settings and the manifest of VS Code from the source of the
 * contract. With `--check`, writes nothing and fails if one of these files is outdated.
 */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeGeneratedFiles } from './generatedFiles.mjs';
import { readContract } from './protocol/contract.mjs';
import { renderProtocolPage } from './protocol/page.mjs';
import { renderManifest } from './protocol/settingsSchema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Creates the JSON Schema of the contract, with shapes by name and messages by method. */
function createSchema({ lsp, sections, definitions }) {
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

/** Formats the schema as JSON with one message or shape per line, which is a fifth smaller than one member per line. */
function formatSchema(schema) {
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
await writeGeneratedFiles({
	'docs/protocol.md': renderProtocolPage(prose, { ...contract, examples }),
	'server/core/settings/schema.json': `${JSON.stringify(contract.settingsSchema, null, '\t')}\n`,
	[manifestPath]: renderManifest(manifest, contract.settingsSchema),
	'docs/protocol.schema.json': formatSchema(createSchema(contract)),
});
