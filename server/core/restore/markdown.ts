import type { ChatMessage } from '../../protocol/conversation.ts';
import { createImageUrl } from '../format/wire/content.ts';
import { fencedText, plainMarkdown, quotedMarkdown } from './markdownText.ts';
import {
	abandonedText,
	authorOf,
	compactionBarText,
	entriesWithRuns,
	isExpanded,
	laterVersionsOf,
	type PagePart,
	pageParts,
	type RestoredSession,
	restoredTitle,
	resumedText,
	sessionFacts,
	utcTimeText,
} from './restoredPage.ts';
import type { WholeEntry } from './wholeHistory.ts';

/**
 * Yields a restored session as a page in Markdown. Images are references, and their data is at the end of the page.
 */
export function* markdownPage(session: RestoredSession): Generator<string> {
	const page = new MarkdownPage(session.label);
	yield `# ${plainMarkdown(restoredTitle(session))}\n\n`;
	for (const [name, value] of sessionFacts(session)) yield `- ${name}: ${plainMarkdown(value)}\n`;
	let isFirst = true;
	for (const { entry, run } of entriesWithRuns(session.history)) {
		if (run?.isCurrent === false) yield `\n---\n\n*${abandonedText(run)}*\n`;
		else if (run && !isFirst) yield `\n---\n\n*${resumedText}*\n`;
		isFirst = false;
		yield page.entry(entry);
	}
	yield* imageData(session);
}

/** Renders entries, and numbers their images. */
class MarkdownPage {
	readonly #label: string;
	#images = 0;

	constructor(label: string) {
		this.#label = label;
	}

	entry(entry: WholeEntry): string {
		if (entry.t === 'compaction') {
			const kept = entry.replacement.map((message) => this.#message(message)).join('');
			const summary = foldedBlock('What replaced it', kept);
			return `\n---\n\n**${plainMarkdown(compactionBarText(entry, this.#label))}**\n\n${summary}\n---\n`;
		}
		const versions = laterVersionsOf(entry).map(({ name, message }) =>
			foldedBlock(name, this.#message(message)),
		);
		return this.#message(entry.message) + versions.map((version) => `\n${version}`).join('');
	}

	#message(message: ChatMessage): string {
		const author = authorOf(message, this.#label);
		const time = utcTimeText(message.timestamp);
		const heading = `${author}${time === '' ? '' : ` · ${time}`}`;
		const isText = isExpanded(message);
		const parts = pageParts(message).map((part) => this.#part(part, isText));
		if (isText) return `\n### ${plainMarkdown(heading)}\n\n${parts.join('\n')}`;
		return `\n${foldedBlock(heading, parts.join('\n'))}`;
	}

	#part(part: PagePart, isText: boolean): string {
		switch (part.kind) {
			case 'text':
				return `${isText ? quotedMarkdown(part.text) : fencedText(part.text)}\n`;
			case 'thinking':
				return foldedBlock('Thinking', `${fencedText(part.text)}\n`);
			case 'call':
				return foldedBlock(`Call of ${part.title}`, `${fencedText(part.text)}\n`);
			case 'data':
				return foldedBlock('Other data', `${fencedText(part.text)}\n`);
			case 'image': {
				if (part.image.data === undefined) return `Image: ${plainMarkdown(part.image.uri ?? 'unknown')}\n`;
				this.#images++;
				return `![Image ${this.#images}][contextd-image-${this.#images}]\n`;
			}
		}
	}
}

/** A folded block: most viewers of Markdown apply these two tags. */
function foldedBlock(title: string, content: string): string {
	const text = title.replace(/\s+/g, ' ').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
	return `<details><summary>${text}</summary>\n\n${content}\n</details>\n`;
}

const base64 = /^[a-z0-9+/=_-]*$/i;
const mediaName = /^[a-z]+\/[a-z0-9.+-]+$/i;

/** The data of all images, in the order in which the page numbers them. */
function* imageData({ history }: RestoredSession): Generator<string> {
	let number = 0;
	for (const message of messagesIn(history.entries())) {
		for (const part of pageParts(message)) {
			if (part.kind !== 'image' || part.image.data === undefined) continue;
			number++;
			const isValid = base64.test(part.image.data) && mediaName.test(part.image.mediaType);
			yield `\n[contextd-image-${number}]: <${isValid ? createImageUrl(part.image) : 'data:,invalid'}>\n`;
		}
	}
}

/** All messages of entries, in the order in which a page shows them. */
function* messagesIn(entries: Iterable<WholeEntry>): Generator<ChatMessage> {
	for (const entry of entries) {
		if (entry.t === 'compaction') yield* entry.replacement;
		else yield* [entry.message, ...entry.otherVersions];
	}
}
