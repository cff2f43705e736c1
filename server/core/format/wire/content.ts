import type { ContentPart, ImagePart, TextPart } from '../../../protocol/conversation.ts';
import { isFields, textOrEmpty } from '../../shape.ts';

/** Returns a message's content as parts; the empty string has none. */
export function toContentParts(content: string | ContentPart[]): ContentPart[] {
	if (typeof content !== 'string') return content;
	return content === '' ? [] : [{ type: 'text', text: content }];
}

/** Returns the text parts, joined by line ends. */
export function joinPlainText(content: string | ContentPart[]): string {
	if (typeof content === 'string') return content;
	return content
		.filter((part): part is TextPart => part.type === 'text')
		.map((part) => part.text)
		.join('\n');
}

/** Replaces an image in a tool result if the provider does not accept images there. */
export const imagePlaceholder = '(image left out)';

/** Describes an opaque part, for a warning. */
export function describePart(value: unknown): string {
	const type = isFields(value) ? textOrEmpty(value.type) : '';
	return type === '' ? 'an opaque part' : `a part "${type}"`;
}

/** Whether two parts are equal; opaque parts never are. */
export function isSamePart(left: ContentPart, right: ContentPart): boolean {
	if (left.type === 'text') return right.type === 'text' && left.text === right.text;
	if (left.type === 'reasoning')
		return right.type === 'reasoning' && left.text === right.text && left.signature === right.signature;
	if (left.type === 'image') {
		return (
			right.type === 'image' &&
			left.data === right.data &&
			left.uri === right.uri &&
			left.mediaType === right.mediaType
		);
	}
	return false;
}

const dataUrlPattern = /^data:([^;,]*)(?:;[^,;]*)*;base64,/;

/** Returns a URL as an image part: a data URL as media type and base64, any other as a URI. */
export function createImageFromUrl(url: string, detail?: unknown): ImagePart {
	const match = dataUrlPattern.exec(url.slice(0, 200));
	const image: ImagePart = match
		? { type: 'image', mediaType: match[1] || 'application/octet-stream', data: url.slice(match[0].length) }
		: { type: 'image', mediaType: 'image/*', uri: url };
	if (detail === 'low' || detail === 'high' || detail === 'auto') image.detail = detail;
	return image;
}

/** Returns an image part as a URL; undefined if it has neither bytes nor a URI. */
export function createImageUrl(image: ImagePart): string | undefined {
	if (image.data !== undefined) return `data:${image.mediaType};base64,${image.data}`;
	return image.uri;
}
