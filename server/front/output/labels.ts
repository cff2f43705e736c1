/** Labels that describe the messages of a report. */

import { type Fields, isFields } from '../../core/shape.ts';
import { replacePersistedMarks } from '../../core/transcript/claudeCode/persistedOutput.ts';
import { printableText } from './printable.ts';

export interface Label {
	/** The content in a few words. */
	about: string;
	/** The tool of a result, or of a message's first call. */
	tool?: string;
}

/** The labels of a session's messages. */
export interface Labels {
	/** Stores the label of a message under its id. */
	add(id: string, message: Fields): void;
	get(id: string): Label | undefined;
}

/** Maximum length of a label, about what a terminal shows. UTF-16 units. */
const maxLabelLength = 120;

/** The arguments that best describe a call, by the names that agents use. */
const tellingArguments = [
	'file_path',
	'filePath',
	'path',
	'uri',
	'command',
	'cmd',
	'pattern',
	'query',
	'url',
];

/** The beginning of a long text, copied so that the whole text can be freed. */
function copyBeginning(text: string): string {
	const line = printableText(text.trimStart().slice(0, 4 * maxLabelLength)).trim();
	return Buffer.from(line.slice(0, maxLabelLength)).toString();
}

/** Like `opening`, but shows the end of a long path, which is more specific. */
function argumentText(text: string): string {
	const isPath =
		text.length > maxLabelLength && text.includes('/') && !/\s/.test(text.slice(-maxLabelLength));
	return copyBeginning(isPath ? text.slice(-maxLabelLength) : text);
}

function contentBeginning(content: unknown): string {
	if (typeof content === 'string') return copyBeginning(replacePersistedMarks(content));
	if (!Array.isArray(content)) return '';
	const text = content.find((part) => isFields(part) && typeof part.text === 'string');
	return text ? copyBeginning(replacePersistedMarks(text.text)) : '';
}

function argumentBeginning(args: unknown): string {
	if (!isFields(args)) return '';
	const name = tellingArguments.find((one) => typeof args[one] === 'string');
	const value = name === undefined ? Object.values(args).find((one) => typeof one === 'string') : args[name];
	return typeof value === 'string' ? argumentText(value) : '';
}

function callsOf(fields: Fields): Fields[] {
	return Array.isArray(fields.toolCalls) ? fields.toolCalls.filter(isFields) : [];
}

export function createLabels(): Labels {
	const labels = new Map<string, Label>();
	/** What each call is about, by its id; for repeated ids the newest call counts. */
	const calls = new Map<string, { tool: string; about: string }>();

	function labelOf(fields: Fields): Label {
		if (fields.role === 'tool') {
			const call = calls.get(String(fields.toolCallId));
			const tool = typeof fields.toolName === 'string' ? copyBeginning(fields.toolName) : call?.tool;
			return { about: call?.about || contentBeginning(fields.content), tool };
		}
		const [first] = callsOf(fields);
		const own = first && calls.get(String(first.id));
		return { about: contentBeginning(fields.content) || own?.about || '', tool: own?.tool };
	}

	return {
		add(id, message) {
			for (const call of callsOf(message)) {
				calls.set(String(call.id), {
					tool: copyBeginning(String(call.name)),
					about: argumentBeginning(call.args),
				});
			}
			if (!labels.has(id)) labels.set(id, labelOf(message));
		},
		get: (id) => labels.get(id),
	};
}
