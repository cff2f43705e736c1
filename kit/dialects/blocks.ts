/** Dialects of hosts whose messages are lists of blocks in a provider's format. */

import { type RenderEntry, RenderLosses } from '../../server/core/format/wire/adapter.ts';
import { arrangeBlocks, type BlockMeaning, type BlockWriter } from '../../server/core/format/wire/layout.ts';
import type { WireSection } from '../../server/core/format/wire/sections.ts';
import { type Fields, isFields } from '../../server/core/shape.ts';
import type { ChatMessage, FormatName } from '../../server/protocol/conversation.ts';
import type { BlockMessage, CarriedResult, Dialect } from './dialect.ts';

/** What differs between formats whose messages are lists of blocks. */
export interface BlockFormat {
	name: FormatName;
	/** Splits a message into neutral messages, each with its blocks. */
	split(message: Fields): WireSection[];
	readBlock(block: unknown, field: string): BlockMeaning;
	createWriter(entry: RenderEntry, before: readonly unknown[], losses: RenderLosses): BlockWriter;
	/** Returns a tool message as a block that keeps the other members of `raw`, the original block. */
	createResultBlock(message: ChatMessage, raw: unknown, write: BlockWriter, losses: RenderLosses): unknown;
	/** Returns what identifies a block: everything but cache marks and the content of results. */
	getEssence(block: Fields): unknown;
	/** Returns the tool result in a block; undefined for other blocks and for results with other content than text. */
	findResult(block: Fields): CarriedResult | undefined;
	/** Returns a result's block with another text. */
	withText(result: Fields, text: string): Fields;
	/** Whether a text block may be added at the end of a message. */
	canEndWithText(message: Fields): boolean;
}

/** Returns the blocks of a message; a plain text is one block. */
export function toBlocks({ content }: BlockMessage): unknown[] {
	if (Array.isArray(content)) return content;
	return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}

/** Creates the dialect of a format whose messages are lists of blocks. */
export function createBlockDialect(format: BlockFormat): Dialect<BlockMessage> {
	const listBlockFields = (message: BlockMessage): Fields[] => toBlocks(message).filter(isFields);

	function renderPart(message: BlockMessage, section: WireSection, part: ChatMessage): unknown[] {
		const losses = new RenderLosses(format.name);
		const source = { format: format.name, raw: message, key: '', partIndex: 0, partCount: 1 };
		const entry: RenderEntry = { message: { ...part, id: part.id ?? '' }, source, isChanged: true };
		const write = format.createWriter(entry, section.blocks, losses);
		if (part.role === 'tool') return [format.createResultBlock(part, section.blocks[0], write, losses)];
		return arrangeBlocks(part, section.blocks, (block) => format.readBlock(block, 'content'), write);
	}

	return {
		getEssence: (message) => [message.role, listBlockFields(message).map(format.getEssence)],
		toNeutral: (message) => format.split(message).map((section) => section.message),
		listResults: (message) => listBlockFields(message).flatMap((block) => format.findResult(block) ?? []),
		withResults: (message, texts) => ({
			...message,
			content: toBlocks(message).map((block) => {
				const text = isFields(block) ? texts.get(format.findResult(block)?.callId ?? '') : undefined;
				return text === undefined ? block : format.withText(block as Fields, text);
			}),
		}),
		rewrite(message, parts) {
			const content = format.split(message).flatMap((section, index) => {
				const part = parts[index];
				if (part === undefined) return [];
				return part.metadata?.truncated === true ? renderPart(message, section, part) : section.blocks;
			});
			return content.length === 0 ? undefined : { ...message, content };
		},
		fromDaemon: ({ content }) => ({ role: 'user', content }),
		withNote: (message, text) =>
			format.canEndWithText(message)
				? { ...message, content: [...toBlocks(message), { type: 'text', text }] }
				: message,
	};
}
