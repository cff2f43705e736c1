/** Labels that describe the messages of a report. */

import { type Fields, isFields } from '../../core/shape.ts';
import { replacePersistedMarks } from '../../core/transcript/index.ts';
import { makePrintable } from './printable.ts';

export interface MessageLabel {
	/** The content in a few words. */
	subject: string;
	/** The tool of a result, or of a message's first call. */
	tool?: string;
}

/** Maximum length of a label in UTF-16 units, about what a terminal can show. */
const maxLabelUnits = 120;

/** The arguments that best describe a call, by the names that agents use. */
const labelArguments = ['file_path', 'filePath', 'path', 'uri', 'command', 'cmd', 'pattern', 'query', 'url'];

/** Copies the start of a text, so that a long text can be freed. */
function copyBeginning(text: string): string {
	const line = makePrintable(text.trimStart().slice(0, 4 * maxLabelUnits)).trim();
	return Buffer.from(line.slice(0, maxLabelUnits)).toString();
}

/** Like `copyBeginning`, but returns the end of a long path, which is more specific. */
function copyArgument(text: string): string {
	const isPath = text.length > maxLabelUnits && text.includes('/') && !/\s/.test(text.slice(-maxLabelUnits));
	return copyBeginning(isPath ? text.slice(-maxLabelUnits) : text);
}

function copyContentBeginning(content: unknown): string {
	if (typeof content === 'string') return copyBeginning(replacePersistedMarks(content));
	if (!Array.isArray(content)) return '';
	const text = content.find((part) => isFields(part) && typeof part.text === 'string');
	return text ? copyBeginning(replacePersistedMarks(text.text)) : '';
}

function copyArgumentBeginning(args: unknown): string {
	if (!isFields(args)) return '';
	const name = labelArguments.find((one) => typeof args[one] === 'string');
	const value = name === undefined ? Object.values(args).find((one) => typeof one === 'string') : args[name];
	return typeof value === 'string' ? copyArgument(value) : '';
}

function listCalls(fields: Fields): Fields[] {
	return Array.isArray(fields.toolCalls) ? fields.toolCalls.filter(isFields) : [];
}

/** The labels of a session's messages, by their ids. */
export class MessageLabels {
	readonly #labels = new Map<string, MessageLabel>();
	/** The tool and arguments of each call, by its id; if ids repeat, those of the newest call. */
	readonly #calls = new Map<string, { tool: string; about: string }>();

	/** @param messages messages to label at once; those without an id are left out */
	constructor(messages: readonly unknown[] = []) {
		for (const message of messages) {
			if (isFields(message) && typeof message.id === 'string') this.add(message.id, message);
		}
	}

	/** Stores the label of a message under its id. */
	add(id: string, message: Fields): void {
		for (const call of listCalls(message)) {
			this.#calls.set(String(call.id), {
				tool: copyBeginning(String(call.name)),
				about: copyArgumentBeginning(call.args),
			});
		}
		if (!this.#labels.has(id)) this.#labels.set(id, this.#createLabel(message));
	}

	get(id: string): MessageLabel | undefined {
		return this.#labels.get(id);
	}

	#createLabel(fields: Fields): MessageLabel {
		if (fields.role === 'tool') {
			const call = this.#calls.get(String(fields.toolCallId));
			const tool = typeof fields.toolName === 'string' ? copyBeginning(fields.toolName) : call?.tool;
			return { subject: call?.about || copyContentBeginning(fields.content), tool };
		}
		const [first] = listCalls(fields);
		const toolCall = first && this.#calls.get(String(first.id));
		return { subject: copyContentBeginning(fields.content) || toolCall?.about || '', tool: toolCall?.tool };
	}
}
