/** The page that a client's author reads. */

import { memberTable, namesIn, typeText } from './types.mjs';

const prefix = '#/definitions/';

/** Characters of a line of an example. */
const lineWidth = 100;

/** JSON in which what fits into a line stands in one. */
function json(value, indent = '') {
	const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
	if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth) return line;
	const inner = `${indent}  `;
	const members = Array.isArray(value)
		? value.map((one) => json(one, inner))
		: Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${json(member, inner)}`);
	const [open, close] = Array.isArray(value) ? '[]' : '{}';
	return `${open}\n${members.map((member) => `${inner}${member}`).join(',\n')}\n${indent}${close}`;
}

/** Where a heading is found on the page. */
function anchor(heading) {
	return `#${heading
		.toLowerCase()
		.replaceAll(/[^\w\- ]/g, '')
		.replaceAll(' ', '-')}`;
}

/** All messages, a line for each of their sections. */
function glance(sections) {
	return sections
		.map(({ title, messages }) => {
			const links = messages.map(({ method }) => `[\`${method}\`](${anchor(method)})`);
			return `- ${title}: ${links.join(', ')}`;
		})
		.join('\n');
}

/** The messages of LSP, each with a link to its specification, and examples of what they carry for contextd. */
function lspText({ lsp, examples }) {
	const shown = examples.filter((example) => lsp.some(({ method }) => method === example.method));
	return [lspTable(lsp), ...shown.flatMap((one) => [`\`${one.method}\``, ...exampleText(one)])].join('\n\n');
}

function lspTable(messages) {
	const rows = messages.map(
		({ method, kind, direction, specification, text }) =>
			`| [\`${method}\`](${specification}) | ${kind} ${direction} | ${text.replaceAll('|', '\\|')} |`,
	);
	return ['| message | | what contextd does with it |', '|---|---|---|', ...rows].join('\n');
}

/** What a message carries: the table of its members, or the type where it has none. */
function carried(title, schema, definitions) {
	const name = schema.$ref?.slice(prefix.length);
	const shape = name === undefined ? undefined : definitions[name];
	if (!shape?.properties) return `${title}: ${typeText(schema)}.`;
	return `${title}:\n\n${memberTable(shape)}`;
}

function resultText({ result }, own, definitions) {
	if (result === undefined) return [];
	const shapes = result.anyOf ?? [result];
	const [first] = shapes;
	const name = first.$ref?.slice(prefix.length);
	if (name === undefined || !own.has(name)) return [`Result: ${typeText(result)}.`];
	return [carried(shapes.length > 1 ? 'Result, or null' : 'Result', first, definitions)];
}

function failuresText(message) {
	if (!message.errors?.length) return [];
	return [`Failures: ${[...new Set(message.errors)].map((name) => `[\`${name}\`](#failures)`).join(', ')}.`];
}

function exampleText(example) {
	if (example === undefined) return [];
	const answer = example.error ?? example.result;
	const came = answer === undefined ? '' : `\n\n${'```'}json\n${json(answer)}\n${'```'}`;
	return [`Example:\n\n${'```'}json\n${json(example.params)}\n${'```'}${came}`];
}

function messageText(message, own, { definitions, examples }) {
	const kind = `${message.kind[0].toUpperCase()}${message.kind.slice(1)} ${message.direction}, since ${message.since}.`;
	return [
		`### \`${message.method}\``,
		message.text,
		kind,
		...(Object.keys(message.params).length > 0 ? [carried('Params', message.params, definitions)] : []),
		...resultText(message, own, definitions),
		...failuresText(message),
		...exampleText(examples.find(({ method }) => method === message.method)),
	].join('\n\n');
}

/** Shapes that stand in full at the one message that carries them. */
function ownShapes(messages) {
	const uses = messages.flatMap(({ params, result }) =>
		[params, ...(result ? [result] : [])].flatMap(namesIn),
	);
	return new Set(uses.filter((name) => uses.indexOf(name) === uses.lastIndexOf(name)));
}

/** The shapes that the page must tell of: those that others lead to, and those of several messages. */
function sharedShapes(messages, own, definitions) {
	const shared = new Set();
	const visit = (schema) => {
		for (const name of namesIn(schema)) {
			const isSeen = shared.has(name);
			shared.add(name);
			if (!isSeen) visit(definitions[name]);
		}
	};
	for (const { params, result } of messages) {
		for (const schema of [params, result ?? {}]) {
			for (const name of namesIn(schema))
				visit(own.has(name) ? definitions[name] : { $ref: `${prefix}${name}` });
		}
	}
	// The prose of the page leads to these.
	visit(definitions.Settings);
	for (const name of ['ClientCapabilities', 'DaemonCapabilities']) visit({ $ref: `${prefix}${name}` });
	return Object.keys(definitions).filter((name) => shared.has(name));
}

function shapeText(name, schema) {
	const body = schema.properties ? memberTable(schema) : `${typeText({ ...schema, $ref: undefined })}`;
	return [
		`### type ${name}`,
		...(schema.description ? [schema.description.replaceAll(/\s+/g, ' ')] : []),
		body,
	].join('\n\n');
}

function codeTable(codes, head) {
	const rows = codes.map(
		({ name, code, text }) => `| \`${name}\` | ${code} | ${text.replaceAll('|', '\\|')} |`,
	);
	return [`| ${head} | code | |`, '|---|---|---|', ...rows].join('\n');
}

/** Every setting with its path, type and default. */
function settingTable({ definitions, defaultSettings }) {
	const rows = (schema, defaults, path) =>
		Object.entries(schema.properties).flatMap(([name, member]) => {
			const value = defaults[name];
			if (member.properties) return rows(member, value, `${path}${name}.`);
			const text = (member.description ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
			return [`| \`${path}${name}\` | ${typeText(member)} | \`${JSON.stringify(value)}\` | ${text} |`];
		});
	return [
		'| setting | type | default | |',
		'|---|---|---|---|',
		...rows(definitions.Settings, defaultSettings, ''),
	].join('\n');
}

/** Fills the parts of the page that the source knows into those that were written by hand. */
export function renderPage(prose, contract) {
	const messages = contract.sections.flatMap((section) => section.messages);
	const own = ownShapes(messages);
	const sections = contract.sections.map(({ title, messages: those }) =>
		[`## ${title}`, ...those.map((message) => messageText(message, own, contract))].join('\n\n'),
	);
	const shapes = sharedShapes(messages, own, contract.definitions);
	const parts = {
		glance: glance(contract.sections),
		lsp: lspText(contract),
		messages: sections.join('\n\n'),
		shapes: shapes.map((name) => shapeText(name, contract.definitions[name])).join('\n\n'),
		errors: codeTable(contract.errorCodes, 'error'),
		failures: codeTable(contract.failureCodes, 'kind'),
		settings: settingTable(contract),
	};
	return prose.replaceAll(/<!-- (\w+) -->/g, (_, name) => {
		if (parts[name] === undefined) throw new Error(`the page has no part "${name}"`);
		return parts[name];
	});
}
