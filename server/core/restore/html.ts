import type { ChatMessage, ImagePart } from '../../protocol/conversation.ts';
import { createImageUrl } from '../format/wire/content.ts';
import { restoredPageStyle } from './htmlStyle.ts';
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
	toShortLine,
} from './restoredPage.ts';
import type { WholeEntry, WholeHistory } from './wholeHistory.ts';

/** Forbids the page to load or run anything, whatever its texts contain. Images are embedded. */
const contentPolicy =
	"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * Yields a restored session as one self-contained HTML page, for light and dark themes. Every text is escaped. Calls,
 * results and other long parts are folded.
 */
export function* renderHtmlPage(session: RestoredSession): Generator<string> {
	const title = escapeHtml(createRestoredTitle(session));
	yield `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${restoredPageStyle}</style></head><body>
<header><h1>${title}</h1><dl>`;
	for (const [name, value] of listSessionFacts(session))
		yield `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`;
	yield '</dl></header>\n';
	yield* renderContents(session.history);
	yield '<main>\n';
	let number = 0;
	let isInAbandoned = false;
	for (const { entry, run } of listEntriesWithRuns(session.history)) {
		if (run && isInAbandoned) {
			yield `</section><p class="bar">${resumedText}</p>\n`;
			isInAbandoned = false;
		}
		if (run?.isCurrent === false) {
			yield `<section class="abandoned"><p class="bar">${describeAbandoned(run)}</p>\n`;
			isInAbandoned = true;
		}
		yield renderEntry(entry, session.label, number++);
	}
	if (isInAbandoned) yield '</section>\n';
	yield '</main></body></html>\n';
}

/** Maximum length of a line in the contents, in code points. */
const maxContentsCodePoints = 90;

/** Renders links to each message that a person typed and to each compaction. */
function* renderContents(history: WholeHistory): Generator<string> {
	yield '<details class="contents"><summary>Contents</summary><ol>';
	let number = 0;
	for (const entry of history.listEntries()) {
		const id = number++;
		if (entry.t === 'compaction') yield `<li class="compacted"><a href="#e${id}">Compaction</a></li>`;
		else if (entry.message.role === 'user' && shouldExpand(entry.message)) {
			yield `<li><a href="#e${id}">${escapeHtml(findMessageStart(entry.message))}</a></li>`;
		}
	}
	yield '</ol></details>\n';
}

/** Returns the start of a message on one line. */
function findMessageStart(message: ChatMessage): string {
	const part = listPageParts(message).find(({ kind }) => kind === 'text' || kind === 'image');
	if (part?.kind !== 'text') return part === undefined ? 'Message' : 'Image';
	return toShortLine(part.text, maxContentsCodePoints) || 'Message';
}

function renderEntry(entry: WholeEntry, label: string, number: number): string {
	if (entry.t === 'compaction') {
		const replacement = entry.replacement.map((message) => renderMessage(message, label)).join('');
		const text = escapeHtml(describeCompaction(entry, label));
		return `<div class="bar compaction" id="e${number}"><p>${text}</p>${renderFolded('What replaced it', replacement)}</div>\n`;
	}
	const versions = listLaterVersions(entry).map(({ name, message }) =>
		renderFolded(name, renderMessage(message, label)),
	);
	return renderMessage(entry.message, label, ` id="e${number}"`, versions.join(''));
}

/** Renders a message as an article. `attributes` and `rest` are HTML. */
function renderMessage(message: ChatMessage, label: string, attributes = '', rest = ''): string {
	const author = escapeHtml(describeAuthor(message, label));
	const time = formatUtcTime(message.timestamp);
	const heading = `<span class="author">${author}</span>${time === '' ? '' : ` <time>${time}</time>`}`;
	const parts = listPageParts(message).map(renderPart).join('') + rest;
	const kind = shouldExpand(message) ? message.role : message.isError ? 'added error' : 'added';
	const content = shouldExpand(message)
		? `<h2>${heading}</h2>${parts}`
		: `<details><summary>${heading}${renderFoldedHint(message)}</summary>${parts}</details>`;
	return `<article class="${kind}"${attributes}>${content}</article>\n`;
}

/** Renders the start of a folded message, next to its heading. */
function renderFoldedHint(message: ChatMessage): string {
	const opening = findMessageStart(message);
	return opening === 'Message' ? '' : ` <span class="hint">${escapeHtml(opening)}</span>`;
}

function renderPart(part: PagePart): string {
	switch (part.kind) {
		case 'text':
			return renderText(part.text);
		case 'thinking':
			return renderFolded('Thinking', `<div class="text">${escapeHtml(part.text)}</div>`);
		case 'call':
			return renderFolded(part.title, `<pre>${escapeHtml(part.text)}</pre>`, 'call');
		case 'data':
			return renderFolded('Other data', `<pre>${escapeHtml(part.text)}</pre>`);
		case 'image':
			return renderImage(part.image);
	}
}

/** Renders a text, with the blocks between fences as code. */
function renderText(text: string): string {
	const blocks: string[] = [];
	let lines: string[] = [];
	let fence: string | undefined;
	const close = (tag: string): void => {
		const block = lines.join('\n');
		lines = [];
		if (block.trim() !== '') blocks.push(`<${tag}>${escapeHtml(block)}</${tag.split(' ')[0]}>`);
	};
	for (const line of text.split('\n')) {
		const run = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
		if (fence === undefined && run !== undefined) {
			close('div class="text"');
			fence = run;
		} else if (fence !== undefined && run?.startsWith(fence)) {
			close('pre');
			fence = undefined;
		} else lines.push(line);
	}
	close(fence === undefined ? 'div class="text"' : 'pre');
	return blocks.join('');
}

/** Renders a folded block. `content` is HTML, `title` is plain text. */
function renderFolded(title: string, content: string, name = 'part'): string {
	return `<details class="${name}"><summary>${escapeHtml(title)}</summary>${content}</details>`;
}

/** Types of images that browsers show; no image can run anything in an `img` element. */
const shownImagePattern = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i;
const base64Pattern = /^[a-z0-9+/=\s]*$/i;

function renderImage(image: ImagePart): string {
	if (image.data !== undefined && shownImagePattern.test(image.mediaType) && base64Pattern.test(image.data))
		return `<img alt="Image" src="${escapeHtml(createImageUrl(image) ?? '')}">`;
	const description = image.uri ?? `of type ${image.mediaType}, which browsers do not show`;
	return `<p class="text">Image ${escapeHtml(description)}</p>`;
}

const htmlEntities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/** Escapes a text for HTML, also inside attributes. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => htmlEntities[character] ?? '');
}
