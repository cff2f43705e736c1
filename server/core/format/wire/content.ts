import type { ContentPart, ImagePart, TextPart } from '../../../protocol/conversation.ts';

/** A message's content as parts; the empty string has none. */
export function partsOf(content: string | ContentPart[]): ContentPart[] {
	if (typeof content !== 'string') return content;
	return content === '' ? [] : [{ type: 'text', text: content }];
}

/** The text parts joined by line ends. */
export function plainText(content: string | ContentPart[]): string {
	if (typeof content === 'string') return content;
	return content
		.filter((part): part is TextPart => part.type === 'text')
		.map((part) => part.text)
		.join('\n');
}

/** Stands in a tool result for an image that the provider does not take there. */
export const imageLeftOut = '(image left out)';

/** Whether two parts say the same; an opaque part only equals its own value. */
export function samePart(left: ContentPart, right: ContentPart): boolean {
	if (left.type === 'text') return right.type === 'text' && left.text === right.text;
	if (left.type === 'reasoning') {
		return right.type === 'reasoning' && left.text === right.text && left.signature === right.signature;
	}
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

const dataUrl = /^data:([^;,]*)(?:;[^,;]*)*;base64,/;

/** A URL as an image part: a data URL gives its media type and base64, any other stays a URI. */
export function imageFromUrl(url: string, detail?: unknown): ImagePart {
	const match = dataUrl.exec(url.slice(0, 200));
	const image: ImagePart = match
		? { type: 'image', mediaType: match[1] || 'application/octet-stream', data: url.slice(match[0].length) }
		: { type: 'image', mediaType: 'image/*', uri: url };
	if (detail === 'low' || detail === 'high' || detail === 'auto') image.detail = detail;
	return image;
}

/** An image part as a URL, or undefined where it holds neither bytes nor a URI. */
export function urlOfImage(image: ImagePart): string | undefined {
	if (image.data !== undefined) return `data:${image.mediaType};base64,${image.data}`;
	return image.uri;
}
