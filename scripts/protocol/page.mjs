/** Renders the reference page for authors of clients. */

import { listProjectSettings } from './settingsSchema.mjs';
import { escapeCell, listShapeNames, renderMemberTable, renderType } from './types.mjs';

const prefix = '#/definitions/';

/** Maximum characters of a line in an example. */
const lineWidth = 100;

/** Formats a value as JSON. A value that fits into one line gets one line. */
function formatJson(value, indent = '') {
	const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
	if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth) return line;
	const inner = `${indent}  `;
	const members = Array.isArray(value)
		? value.map((item) => formatJson(item, inner))
		: Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${formatJson(member, inner)}`);
	const [open, close] = Array.isArray(value) ? '[]' : '{}';
	return `${open}\n${members.map((member) => `${inner}${member}`).join(',\n')}\n${indent}${close}`;
}

function toAnchor(heading) {
	return `#${heading
		.toLowerCase()
		.replaceAll(/[^\w\- ]/g, '')
		.replaceAll(' ', '-')}`;
}

/** Returns a list of all messages, one line per section. */
function renderOverview(sections) {
	return sections
		.map(({ title, messages }) => {
			const links = messages.map(({ method }) => `[\`${method}\`](${toAnchor(method)})`);
			return `- ${title}: ${links.join(', ')}`;
		})
		.join('\n');
}

/** Renders the section on LSP: a table of messages with links to the specification, and examples. */
function renderLsp({ lsp, examples }) {
	const blocks = examples
		.filter((example) => lsp.some(({ method }) => method === example.method))
		.flatMap((example) => [`\`${example.method}\``, ...renderExample(example)]);
	return [renderLspTable(lsp), ...blocks].join('\n\n');
}

function renderLspTable(messages) {
	const rows = messages.map(
		({ method, kind, direction, specification, text }) =>
			`| [\`${method}\`](${specification}) | ${kind} ${direction} | ${escapeCell(text)} |`,
	);
	return ['| message | | what contextd does with it |', '|---|---|---|', ...rows].join('\n');
}

/** Describes params or a result: a table of the members, or the type if there are none. */
function renderPayload(title, schema, definitions) {
	const name = schema.$ref?.slice(prefix.length);
	const shape = name === undefined ? undefined : definitions[name];
	if (!shape?.properties) return `${title}: ${renderType(schema)}.`;
	return `${title}:\n\n${renderMemberTable(shape)}`;
}

function renderResult({ result }, ownShapes, definitions) {
	if (result === undefined) return [];
	const shapes = result.anyOf ?? [result];
	const [first] = shapes;
	const name = first.$ref?.slice(prefix.length);
	if (name === undefined || !ownShapes.has(name)) return [`Result: ${renderType(result)}.`];
	return [renderPayload(shapes.length > 1 ? 'Result, or null' : 'Result', first, definitions)];
}

function renderFailures(message) {
	if (!message.errors?.length) return [];
	return [`Failures: ${[...new Set(message.errors)].map((name) => `[\`${name}\`](#failures)`).join(', ')}.`];
}

function renderExample(example) {
	if (example === undefined) return [];
	const answer = example.error ?? example.result;
	const answerBlock = answer === undefined ? '' : `\n\n${'```'}json\n${formatJson(answer)}\n${'```'}`;
	return [`Example:\n\n${'```'}json\n${formatJson(example.params)}\n${'```'}${answerBlock}`];
}

function renderMessage(message, ownShapes, { definitions, examples }) {
	const kind = `${message.kind[0].toUpperCase()}${message.kind.slice(1)} ${message.direction}, since ${message.since}.`;
	return [
		`### \`${message.method}\``,
		message.text,
		kind,
		...(Object.keys(message.params).length > 0 ? [renderPayload('Params', message.params, definitions)] : []),
		...renderResult(message, ownShapes, definitions),
		...renderFailures(message),
		...renderExample(examples.find(({ method }) => method === message.method)),
	].join('\n\n');
}

/** Returns the names of shapes that a single message uses, which the page describes with that message. */
function listOwnShapes(messages) {
	const uses = messages.flatMap(({ params, result }) =>
		[params, ...(result ? [result] : [])].flatMap(listShapeNames),
	);
	return new Set(uses.filter((name) => uses.indexOf(name) === uses.lastIndexOf(name)));
}

/** Returns the names of shapes that several shapes or messages use, for the last section of the page. */
function listSharedShapes(messages, ownShapes, definitions) {
	const sharedNames = new Set();
	const visit = (schema) => {
		for (const name of listShapeNames(schema)) {
			if (sharedNames.has(name)) continue;
			sharedNames.add(name);
			visit(definitions[name]);
		}
	};
	for (const { params, result } of messages) {
		for (const schema of [params, result ?? {}]) {
			for (const name of listShapeNames(schema))
				visit(ownShapes.has(name) ? definitions[name] : { $ref: `${prefix}${name}` });
		}
	}
	// The handwritten text of the page links to these shapes.
	visit(definitions.Settings);
	for (const name of ['ClientCapabilities', 'DaemonCapabilities']) visit({ $ref: `${prefix}${name}` });
	return Object.keys(definitions).filter((name) => sharedNames.has(name));
}

function renderShape(name, schema) {
	const about = schema.description ? [schema.description.replaceAll(/\s+/g, ' ')] : [];
	const body = schema.properties ? renderMemberTable(schema) : renderType({ ...schema, $ref: undefined });
	return [`### type ${name}`, ...about, body].join('\n\n');
}

function renderCodeTable(codes, head) {
	const rows = codes.map(({ name, code, text }) => `| \`${name}\` | ${code} | ${escapeCell(text)} |`);
	return [`| ${head} | code | |`, '|---|---|---|', ...rows].join('\n');
}

/** Renders a table of all settings with path, type and default. */
function renderSettingTable({ definitions }) {
	const renderRow = (path, member) => {
		const text = escapeCell(member.description ?? '');
		return `| \`${path}\` | ${renderType(member)} | \`${JSON.stringify(member.default)}\` | ${text} |`;
	};
	const rows = Object.entries(definitions.Settings.properties).flatMap(([name, member]) => {
		const { properties } = member.$ref ? definitions[member.$ref.slice(prefix.length)] : member;
		if (!properties) return [renderRow(name, member)];
		return Object.entries(properties).map(([innerName, innerMember]) =>
			renderRow(`${name}.${innerName}`, innerMember),
		);
	});
	return ['| setting | type | default | |', '|---|---|---|---|', ...rows].join('\n');
}

/** Inserts the generated parts into the handwritten page. */
export function renderProtocolPage(prose, contract) {
	const messages = contract.sections.flatMap((section) => section.messages);
	const ownShapes = listOwnShapes(messages);
	const sections = contract.sections.map(({ title, messages: sectionMessages }) =>
		[`## ${title}`, ...sectionMessages.map((message) => renderMessage(message, ownShapes, contract))].join(
			'\n\n',
		),
	);
	const shapes = listSharedShapes(messages, ownShapes, contract.definitions);
	const parts = {
		glance: renderOverview(contract.sections),
		lsp: renderLsp(contract),
		messages: sections.join('\n\n'),
		shapes: shapes.map((name) => renderShape(name, contract.definitions[name])).join('\n\n'),
		errors: renderCodeTable(contract.errorCodes, 'error'),
		failures: renderCodeTable(contract.failureCodes, 'kind'),
		settings: renderSettingTable(contract),
		projectSettings: listProjectSettings(contract.settingsSchema)
			.map((name) => `\`${name}\``)
			.join(', '),
	};
	return prose.replaceAll(/<!-- (\w+) -->/g, (_, name) => {
		if (parts[name] === undefined) throw new Error(`the page has no part "${name}"`);
		return parts[name];
	});
}
