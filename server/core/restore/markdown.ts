import type { ChatMessage } from '../../protocol/conversation.ts';
import { createImageUrl } from '../format/wire/content.ts';
import { fenceText, quoteMarkdown, toPlainMarkdown } from './markdownText.ts';
import {
	createRestoredTitle,
	describeAbandoned,
	describeAuthor,
	describeCompaction,
	formatUtcTime,
	listEntriesWithRuns,
	listLaterVersions,
	listPageParts,
	listSessionFacts,
	type PagePart,
	type RestoredSession,
	resumedText,
	shouldExpand,
} from './restoredPage.ts';
import type { WholeEntry } from './wholeHistory.ts';

/** Yields a restored session as a page in Markdown. Images are references to data at the end of the page. */
export function* renderMarkdownPage(session: RestoredSession): Generator<string> {
	const page = new MarkdownPage(session.label);
	yield `# ${toPlainMarkdown(createRestoredTitle(session))}\n\n`;
	for (const [name, value] of listSessionFacts(session)) yield `- ${name}: ${toPlainMarkdown(value)}\n`;
	let isFirst = true;
	for (const { entry, run } of listEntriesWithRuns(session.history)) {
		if (run?.isCurrent === false) yield `\n---\n\n*${describeAbandoned(run)}*\n`;
		else if (run && !isFirst) yield `\n---\n\n*${resumedText}*\n`;
		isFirst = false;
		yield page.renderEntry(entry);
	}
	yield* renderImageData(session);
}

/** Renders entries, and numbers their images. */
class MarkdownPage {
	readonly #label: string;
	#imageCount = 0;

	constructor(label: string) {
		this.#label = label;
	}

	renderEntry(entry: WholeEntry): string {
		if (entry.t === 'compaction') {
			const replacement = entry.replacement.map((message) => this.#renderMessage(message)).join('');
			const summary = renderFoldedBlock('What replaced it', replacement);
			return `\n---\n\n**${toPlainMarkdown(describeCompaction(entry, this.#label))}**\n\n${summary}\n---\n`;
		}
		const versions = listLaterVersions(entry).map(({ name, message }) =>
			renderFoldedBlock(name, this.#renderMessage(message)),
		);
		return this.#renderMessage(entry.message) + versions.map((version) => `\n${version}`).join('');
	}

	#renderMessage(message: ChatMessage): string {
		const author = describeAuthor(message, this.#label);
		const time = formatUtcTime(message.timestamp);
		const heading = `${author}${time === '' ? '' : ` · ${time}`}`;
		const isText = shouldExpand(message);
		const parts = listPageParts(message).map((part) => this.#renderPart(part, isText));
		if (isText) return `\n### ${toPlainMarkdown(heading)}\n\n${parts.join('\n')}`;
		return `\n${renderFoldedBlock(heading, parts.join('\n'))}`;
	}

	#renderPart(part: PagePart, isText: boolean): string {
		switch (part.kind) {
			case 'text':
				return `${isText ? quoteMarkdown(part.text) : fenceText(part.text)}\n`;
			case 'thinking':
				return renderFoldedBlock('Thinking', `${fenceText(part.text)}\n`);
			case 'call':
				return renderFoldedBlock(`Call of ${part.title}`, `${fenceText(part.text)}\n`);
			case 'data':
				return renderFoldedBlock('Other data', `${fenceText(part.text)}\n`);
			case 'image': {
				if (part.image.data === undefined) return `Image: ${toPlainMarkdown(part.image.uri ?? 'unknown')}\n`;
				this.#imageCount++;
				return `![Image ${this.#imageCount}][contextd-image-${this.#imageCount}]\n`;
			}
		}
	}
}

/** Renders a folded block with two HTML tags that most viewers of Markdown apply. */
function renderFoldedBlock(title: string, content: string): string {
	const text = title.replace(/\s+/g, ' ').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
	return `<details><summary>${text}</summary>\n\n${content}\n</details>\n`;
}

const base64Pattern = /^[a-z0-9+/=_-]*$/i;
const mediaTypePattern = /^[a-z]+\/[a-z0-9.+-]+$/i;

/** Yields the data of all images, in the order in which the page numbers them. */
function* renderImageData({ history }: RestoredSession): Generator<string> {
	let number = 0;
	for (const message of listMessages(history.listEntries())) {
		for (const part of listPageParts(message)) {
			if (part.kind !== 'image' || part.image.data === undefined) continue;
			number++;
			const isValid = base64Pattern.test(part.image.data) && mediaTypePattern.test(part.image.mediaType);
			yield `\n[contextd-image-${number}]: <${isValid ? createImageUrl(part.image) : 'data:,invalid'}>\n`;
		}
	}
}

/** Yields all messages of entries, in the order in which a page shows them. */
function* listMessages(entries: Iterable<WholeEntry>): Generator<ChatMessage> {
	for (const entry of entries) {
		if (entry.t === 'compaction') yield* entry.replacement;
		else yield* [entry.message, ...entry.otherVersions];
	}
}
