/** Counts the tokens of one message, as its model will count them. */

import type { ChatMessage, ContentPart, ImagePart, ToolCall } from '../../protocol/conversation.ts';
import { readCompactedItems } from '../compactedItems.ts';
import type { MediaRule } from '../models/mediaRule.ts';
import { countOrZero } from '../shape.ts';
import { splitImages } from './embeddedImages.ts';
import { readImageSize } from './imageSize.ts';
import type { ImageShape } from './imageTokens.ts';
import { type Base64Handling, extractJsonText, type MediaBytes } from './jsonText.ts';
import type { Counts, Measure } from './measure.ts';
import { createByteReader } from './media/base64Bytes.ts';
import { estimateTokensOfKind } from './media/conversionTokens.ts';
import { estimateMediaSeconds } from './media/duration.ts';
import { imageTokenEstimate, tokensPerMessage } from './text/heuristic.ts';

/**
 * Returns the tokens of a message: whole numbers, never negative, for a message of any shape. A count from the client
 * is used unchanged unless it is 0, because every message has tokens. Images count by the model's rule and never as
 * text, wherever their base64 appears. A summary with compacted items counts as the larger of its text and the items.
 */
export function countMessage(message: ChatMessage, measure: Measure): Counts {
	const statedTokens = countOrZero(message.tokens);
	if (statedTokens > 0) return { text: Math.round(statedTokens), calls: 0, images: 0 };
	const counts: Counts = { text: countFraming(message, measure), calls: 0, images: 0 };
	const calls = listSentCalls(message);
	if (typeof message.content === 'string') counts.text += countText(message.content, counts, measure);
	else if (Array.isArray(message.content)) {
		for (const part of message.content) addPart(part, calls.length > 0, counts, measure);
	}
	for (const call of calls) addCall(call, counts, measure);
	const itemTokens = readCompactedItems(message)?.tokens ?? 0;
	return {
		text: Math.round(Math.max(counts.text, itemTokens)),
		calls: Math.round(counts.calls),
		images: Math.round(counts.images),
	};
}

/** Returns the tokens of a text that may contain embedded images; not rounded. */
export function countTextWithImages(text: string, measure: Measure): number {
	const counts: Counts = { text: 0, calls: 0, images: 0 };
	return countText(text, counts, measure) + counts.images;
}

function countFraming({ role }: ChatMessage, { family, estimator }: Measure): number {
	if (estimator === 'heuristic') return tokensPerMessage;
	const { messageTokens, userTurnTokens, toolResultTokens } = family.framing;
	if (role === 'user') return messageTokens + userTurnTokens;
	return role === 'tool' ? toolResultTokens : messageTokens;
}

/** Returns the calls that later requests contain. Calls of an interrupted answer are never sent. */
function listSentCalls({ toolCalls, stopReason }: ChatMessage): readonly ToolCall[] {
	if (!Array.isArray(toolCalls) || stopReason === 'error' || stopReason === 'aborted') return [];
	return toolCalls;
}

/** Returns the tokens of a text, and adds the tokens of its embedded images to the counts. */
function countText(text: string, counts: Counts, measure: Measure): number {
	const split = splitImages(text);
	for (const data of split.images) counts.images += measure.countImageTokens(readImageSize(data) ?? {});
	return measure.countTextTokens(split.text);
}

function addPart(part: ContentPart | undefined, hasCalls: boolean, counts: Counts, measure: Measure): void {
	switch (part?.type) {
		case 'text':
			if (typeof part.text === 'string') counts.text += countText(part.text, counts, measure);
			return;
		case 'reasoning':
			if (typeof part.text === 'string' && isReasoningSent(measure, hasCalls))
				counts.text += countText(part.text, counts, measure);
			return;
		case 'image':
			counts.images += measure.countImageTokens(readImageShape(part));
			return;
		case 'opaque':
			counts.text += countValue(part.value, 'dropped', counts, measure);
			return;
		default:
			counts.text += countValue(part, 'dropped', counts, measure);
	}
}

function isReasoningSent({ family, estimator }: Measure, hasCalls: boolean): boolean {
	if (estimator === 'heuristic' || family.reasoning === 'kept') return true;
	return family.reasoning === 'turn' && hasCalls;
}

function readImageShape({ width, height, detail, data, uri }: ImagePart): ImageShape {
	if (width !== undefined && height !== undefined) return { width, height, detail };
	const bytes = data ?? (uri?.startsWith('data:') ? uri : undefined);
	return { ...(typeof bytes === 'string' ? readImageSize(bytes) : undefined), detail };
}

function addCall(call: ToolCall, counts: Counts, measure: Measure): void {
	const args = call?.args;
	const name = typeof call?.name === 'string' ? call.name : '';
	if (measure.estimator === 'heuristic') {
		const { text, images, media } = extractJsonText(args, 'kept');
		counts.calls += sumMediaTokens(media, measure) + measure.countTextTokens(name + text);
		counts.images += images.length * imageTokenEstimate;
		return;
	}
	const { toolCallTokens, parameterTokens } = measure.family.framing;
	counts.calls += toolCallTokens + measure.countTextTokens(name);
	if (args === null || typeof args !== 'object' || Array.isArray(args)) {
		counts.calls += countArgument(args, counts, measure);
		return;
	}
	for (const value of Object.values(args))
		counts.calls += parameterTokens + countArgument(value, counts, measure);
}

/** Returns the tokens of an argument. Models write strings unquoted, and any other value as JSON. */
function countArgument(value: unknown, counts: Counts, measure: Measure): number {
	return typeof value === 'string'
		? countText(value, counts, measure)
		: countValue(value, 'kept', counts, measure);
}

/** Returns the tokens of a value's text, and adds the tokens of its images to the counts. */
function countValue(value: unknown, base64: Base64Handling, counts: Counts, measure: Measure): number {
	if (value === undefined) return 0;
	const { text, images, media } = extractJsonText(value, base64);
	for (const data of images) counts.images += measure.countImageTokens(readImageSize(data) ?? {});
	return measure.countTextTokens(text) + sumMediaTokens(media, measure);
}

function sumMediaTokens(media: readonly MediaBytes[], { family }: Measure): number {
	return media.reduce((sum, { type, base64 }) => sum + countMediaTokens(type, base64, family.mediaRule), 0);
}

const textTypePattern = /^text\/|[/+](?:json|xml|yaml|csv|javascript|markdown)\b/;
const officeTypePattern = /^application\/(?:msword|vnd\.(?:openxmlformats|ms-|oasis\.opendocument))/;
const archiveTypePattern = /^application\/(?:x-)?(?:zip|gzip|tar|bzip2|7z|rar|vnd\.rar)/;

/**
 * Returns the tokens of bytes of a media type; a positive integer. Audio, video and PDF pages count by the model's
 * rule. Other documents, and PDFs without readable page counts, count as `estimateTokensOfKind` estimates.
 */
function countMediaTokens(type: string, base64: string, rule: MediaRule): number {
	const bytes = Math.max(1, Math.floor(base64.length * 0.75));
	if (type.startsWith('audio/'))
		return roundUpTokens(estimateMediaSeconds(type, base64, bytes) * rule.tokensPerAudioSecond);
	if (type.startsWith('video/'))
		return roundUpTokens(estimateMediaSeconds(type, base64, bytes) * rule.tokensPerVideoSecond);
	if (type.startsWith('application/pdf')) {
		const pages = countPdfPages(base64, bytes);
		return pages === undefined ? estimateTokensOfKind('pdf', bytes) : pages * rule.tokensPerPdfPage;
	}
	if (officeTypePattern.test(type)) return estimateTokensOfKind('office', bytes);
	if (textTypePattern.test(type)) return estimateTokensOfKind('text', bytes);
	return estimateTokensOfKind(archiveTypePattern.test(type) ? 'archive' : 'unknown', bytes);
}

function roundUpTokens(tokens: number): number {
	return Math.max(1, Math.ceil(tokens));
}

/** Bytes that are searched at each end of a PDF, because the page tree is near one end. */
const searchedPdfBytes = 65_536;

const pageCountPatterns = [
	/\/Type\s*\/Pages\b[^>]{0,4000}?\/Count\s+(\d{1,5})/g,
	/\/Count\s+(\d{1,5})\b[^>]{0,4000}?\/Type\s*\/Pages\b/g,
	/\/Linearized\s[^>]{0,200}?\/N\s+(\d{1,5})/g,
];

function decodeText(base64: string, start: number, end: number): string {
	const byteAt = createByteReader(base64);
	const characters: string[] = [];
	for (let index = start; index < end; index++) {
		const byte = byteAt(index);
		if (Number.isNaN(byte)) break;
		characters.push(String.fromCharCode(byte));
	}
	return characters.join('');
}

/** Returns the number of pages of a PDF given as base64; undefined if its bytes do not state it in plain text. */
function countPdfPages(base64: string, bytes: number): number | undefined {
	const head = decodeText(base64, 0, Math.min(bytes, searchedPdfBytes));
	const tail =
		bytes > searchedPdfBytes
			? decodeText(base64, Math.max(searchedPdfBytes, bytes - searchedPdfBytes), bytes)
			: '';
	const pageCounts = pageCountPatterns
		.flatMap((pattern) => [...`${head}\n${tail}`.matchAll(pattern)])
		.map((match) => Number(match[1]));
	const pages = Math.max(0, ...pageCounts);
	return pages > 0 ? pages : undefined;
}
