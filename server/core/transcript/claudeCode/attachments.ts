/** What Claude Code attaches to a conversation: parts of it that stand in records of their own. */

import type { Fields } from '../../shape.ts';
import { type Blocks, readBlocks } from '../reading/blocks.ts';
import { asText, fieldsOf, firstNumber, firstText, listOf } from '../reading/values.ts';

/** A message that an attachment stands for. */
export interface Attached {
	blocks: Blocks;
	/** No person typed it. */
	injected: boolean;
}

/**
 * The message that an attachment puts into the conversation: a prompt that waited, a file as a read of it shows it
 * (those of a prompt's `@`, and those that are read again after a compaction), notes and instructions that belong to
 * a file; undefined where it is none of these.
 */
export function attachedMessage(attachment: Fields): Attached | undefined {
	switch (attachment.type) {
		case 'queued_command':
			return attachment.prompt === undefined
				? undefined
				: { blocks: readBlocks(attachment.prompt), injected: false };
		case 'file':
			return injected(fileContent(attachment));
		case 'edited_text_file':
			return noted(attachment.filename, attachment.snippet);
		case 'directory':
			return noted(attachment.path, attachment.content);
		case 'nested_memory':
			return noted(attachment.path, fieldsOf(attachment.content).content);
		case 'hook_additional_context':
			return injected(listOf(attachment.content).filter((text) => typeof text === 'string'));
		default:
			return undefined;
	}
}

function injected(content: unknown): Attached | undefined {
	const blocks = readBlocks(content);
	return blocks.parts.length === 0 ? undefined : { blocks, injected: true };
}

function noted(name: unknown, text: unknown): Attached | undefined {
	const content = firstText(text);
	return content === undefined ? undefined : injected(`${asText(name)}\n${content}`);
}

function fileContent({ filename, content }: Fields): unknown {
	const { type, file } = fieldsOf(content);
	const held = fieldsOf(file);
	const path = firstText(held.filePath, filename) ?? '';
	const call = `Called the Read tool with the following input: ${JSON.stringify({ file_path: path })}`;
	if (type === 'image' && typeof held.base64 === 'string') {
		const image = { type: 'image', data: held.base64, mimeType: firstText(held.type) };
		return [{ type: 'text', text: call }, image];
	}
	if (typeof held.content !== 'string') return [];
	const first = firstNumber(held.startLine) ?? 1;
	const lines = held.content.split('\n').map((line, index) => `${first + index}\t${line}`);
	return `${call}\nResult of calling the Read tool:\n${lines.join('\n')}`;
}
