/** Finds bytes that texts embed as `data:` URLs, so that their base64 is not counted as words. */

interface SplitText {
	/** The text without its images. */
	text: string;
	/** Base64 of each image, in order. */
	images: string[];
}

const imagePrefix = 'data:image';
const base64Marker = 'base64,';
/** Maximum length of a media type with its parameters. */
const maxHeaderLength = 100;
/** Minimum base64 length of an image; shorter runs are examples in prose. */
const minImageLength = 64;

/** Splits a text into words and embedded images. Linear in its length. */
export function splitImages(text: string): SplitText {
	let index = text.indexOf(imagePrefix);
	if (index < 0) return { text, images: [] };
	const images: string[] = [];
	const segments: string[] = [];
	let from = 0;
	while (index >= 0) {
		const header = text.slice(index, index + maxHeaderLength).indexOf(base64Marker);
		const start = index + header + base64Marker.length;
		const end = header < 0 ? start : findBase64End(text, start);
		if (header >= 0 && end - start >= minImageLength) {
			segments.push(text.slice(from, index));
			images.push(text.slice(start, end));
			from = end;
		}
		index = text.indexOf(imagePrefix, header < 0 ? index + imagePrefix.length : end);
	}
	segments.push(text.slice(from));
	return { text: segments.join(''), images };
}

/** Line lengths of wrapped base64, in UTF-16 units (MIME has 76, PEM 64). */
const wrappedLineLength = { min: 60, max: 80 };

/** Whether a whole text is one long run of base64, with or without line breaks. */
export function isBase64(text: string): boolean {
	if (text.length < 200) return false;
	let end = findBase64End(text, 0);
	if (end === text.length) return true;
	if (end < wrappedLineLength.min || end > wrappedLineLength.max) return false;
	while (end < text.length) {
		const next = text.charCodeAt(end) === 13 ? end + 2 : end + 1;
		if (text.charCodeAt(next - 1) !== 10) return false;
		const last = end;
		end = findBase64End(text, next);
		if (end - last > wrappedLineLength.max + 2 || (end === next && end < text.length)) return false;
	}
	return true;
}

/** Returns the media type and base64 length of a text that is entirely one `data:` URL; otherwise undefined. */
export function parseDataUrl(text: string): { media: string; length: number } | undefined {
	if (!text.startsWith('data:')) return undefined;
	const header = text.slice(0, maxHeaderLength).indexOf(base64Marker);
	const start = header + base64Marker.length;
	if (header < 0 || text.length - start < minImageLength || findBase64End(text, start) < text.length)
		return undefined;
	return {
		media: (text.slice('data:'.length, header).split(';')[0] ?? '').toLowerCase(),
		length: text.length - start,
	};
}

/** Returns a text with each `data:` URL replaced by its media type in brackets. Linear in its length. */
export function replaceDataUrls(text: string): string {
	let markerIndex = text.indexOf(base64Marker);
	if (markerIndex < 0) return text;
	const segments: string[] = [];
	let from = 0;
	while (markerIndex >= 0) {
		const start = markerIndex + base64Marker.length;
		const header = text.slice(Math.max(from, markerIndex - maxHeaderLength), markerIndex);
		const mediaMatch = /data:([\w.+-]{1,60}\/[\w.+-]{1,60})[;=\w.-]*$/.exec(header);
		const end = mediaMatch ? findBase64End(text, start) : start;
		if (mediaMatch && end - start >= minImageLength) {
			segments.push(text.slice(from, markerIndex - mediaMatch[0].length), `[${mediaMatch[1]}]`);
			from = end;
		}
		markerIndex = text.indexOf(base64Marker, end);
	}
	return segments.join('') + text.slice(from);
}

/** Returns the end of a run of base64: letters, digits, `+/-_=`, and backslashes, because JSON may escape a slash. */
function findBase64End(text: string, start: number): number {
	let index = start;
	while (index < text.length && isBase64Character(text.charCodeAt(index))) index++;
	return index;
}

function isBase64Character(unit: number): boolean {
	return (
		(unit >= 97 && unit <= 122) ||
		(unit >= 65 && unit <= 90) ||
		(unit >= 47 && unit <= 57) ||
		unit === 43 ||
		unit === 45 ||
		unit === 61 ||
		unit === 92 ||
		unit === 95
	);
}
