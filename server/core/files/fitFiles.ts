import type { AttachedFile, ExcludedFile, FitFilesResult, FittedFile } from '../../protocol/files.ts';
import { estimateConvertedTokens, findFileKind } from '../measure/media/conversionTokens.ts';
import { countLines, countUtf8Bytes, isHighSurrogate } from '../output/textSize.ts';
import { cutAtLine, type TokenMeasure } from './cutAtLine.ts';
import { createShownLinesNotice } from './fitRead.ts';
import { planRead } from './readPlan.ts';
import { maxPreviewCharacters, minPartTokens, previewFileBytes, unitsPerToken } from './tuning.ts';

/**
 * Fits files together into a token budget.
 *
 * If all files fit, all are whole. Otherwise small files are whole, and large files are cut at line ends in
 * proportion to their size. Files for which no useful share remains are excluded, with the reason.
 *
 * Files with the same name are separate files, unless their texts are the same too: such a file is included
 * only once. A file whose text is not available counts by its type and is never cut.
 */
export function fitFiles(
	files: readonly AttachedFile[],
	maxTokens: number,
	measure: TokenMeasure,
): FitFilesResult {
	const budgetTokens = Math.max(0, Math.floor(maxTokens));
	const names = createDistinctNames(files);
	const repeats = findRepeatedAttachments(files);
	const sizes = files.map((file, index) => (repeats.has(index) ? 0 : countFileTokens(file, measure)));
	const shares = divideBudget(sizes, budgetTokens);
	const result: FitFilesResult = { files: [], excluded: [], notices: [], usedTokens: 0, budgetTokens };
	files.forEach((file, index) => {
		const share = { name: names[index]!, tokens: sizes[index]!, share: shares[index]! };
		const placement = repeats.has(index) ? excludeRepeatedFile(names[index]!) : fitFile(file, share, measure);
		if (placement.fitted) {
			result.files.push(placement.fitted);
			result.usedTokens += placement.fitted.tokens;
		}
		if (placement.excluded) result.excluded.push(placement.excluded);
		if (placement.notice !== undefined) result.notices.push(placement.notice);
	});
	return result;
}

function countFileTokens(
	{ content, size = 0, mediaType, uri, path }: AttachedFile,
	measure: TokenMeasure,
): number {
	if (content === undefined)
		return estimateConvertedTokens({ sizeBytes: size, mediaType, name: path ?? uri });
	return measure.count(needsPreview(content) ? createPreview(content) : content);
}

/** Whether a text is so large that only a preview of it is shown. */
function needsPreview(text: string): boolean {
	// A UTF-16 unit has at most three bytes, so most texts need not be measured.
	return text.length * 3 > previewFileBytes && countUtf8Bytes(text) > previewFileBytes;
}

/** Returns the start of a large text. Never splits a surrogate pair. */
function createPreview(text: string): string {
	const end = isHighSurrogate(text.charCodeAt(maxPreviewCharacters - 1))
		? maxPreviewCharacters - 1
		: maxPreviewCharacters;
	return text.slice(0, end);
}

function excludeRepeatedFile(name: string): Placement {
	const reason = 'attached again: the same text appears below';
	return { excluded: { path: name, reason }, notice: `[File ${name} - refer to latest read below]` };
}

interface FileShare {
	name: string;
	/** Tokens of the whole file. */
	tokens: number;
	/** Tokens that the file may take. */
	share: number;
}

interface Placement {
	fitted?: FittedFile;
	excluded?: ExcludedFile;
	notice?: string;
}

function fitFile(file: AttachedFile, { name, tokens, share }: FileShare, measure: TokenMeasure): Placement {
	const { content = '', size = 0, mediaType, path, uri } = file;
	const hasContent = file.content !== undefined;
	if (!hasContent && findFileKind({ sizeBytes: size, mediaType, name: path ?? uri }) === 'text') {
		const fitted = fitFileBySize(file, size, { name, tokens, share });
		const notice = `[${name} would be cut to ${fitted.maxChars} characters of its ${size} bytes]`;
		return { fitted, ...(fitted.truncated && { notice }) };
	}
	if (tokens <= share && needsPreview(content)) {
		const preview = createPreview(content);
		const notice = `[${name} is too large to show: its first ${preview.length} of ${content.length} characters]`;
		return { fitted: { ...file, content: preview, tokens, truncated: true, previewMode: true }, notice };
	}
	if (tokens <= share) return { fitted: { ...file, content, tokens, truncated: false } };
	const cut = cutAtLine(content, share, measure);
	if (cut.text === '') {
		const reason = `too large: it needs ${tokens} tokens`;
		return { excluded: { path: name, reason }, notice: `[${name} not shown: it needs ${tokens} tokens]` };
	}
	const shownLines = { path: name, firstLine: 1, lastLine: cut.lineCount, isPartial: cut.isPartial };
	const remark = `${cut.tokens} of its ${tokens} tokens`;
	const notice = createShownLinesNotice({ ...shownLines, totalLines: countLines(content) }, remark);
	return { fitted: { ...file, content: cut.text, tokens: cut.tokens, truncated: true }, notice };
}

/** Returns the display name of each file: its path or URI, with a number if several files share it. */
function createDistinctNames(files: readonly AttachedFile[]): string[] {
	const names = files.map((file, index) => file.path ?? file.uri ?? `file ${index + 1}`);
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	const lastNumbers = new Map<string, number>();
	return names.map((name) => {
		if (counts.get(name) === 1) return name;
		const number = (lastNumbers.get(name) ?? 0) + 1;
		lastNumbers.set(name, number);
		return `${name} (${number})`;
	});
}

/**
 * Divides a budget among files of these sizes, in tokens. A file that is no larger than an even share of the remaining
 * budget gets its whole size. Each larger file gets half an even share, and a part of the rest in proportion to what it
 * still needs. While an even share is below 50 tokens, the largest file gets nothing.
 */
function divideBudget(sizes: readonly number[], budget: number): number[] {
	const shares = sizes.map(() => 0);
	const ascending = sizes.map((_, index) => index).sort((a, b) => sizes[a]! - sizes[b]!);
	let remainingTokens = budget;
	let placedCount = 0;
	let end = ascending.length;
	while (placedCount < end) {
		const index = ascending[placedCount]!;
		const evenShare = remainingTokens / (end - placedCount);
		if (sizes[index]! <= evenShare) {
			shares[index] = sizes[index]!;
			remainingTokens -= sizes[index]!;
			placedCount += 1;
		} else if (evenShare < minPartTokens) {
			end -= 1;
		} else {
			break;
		}
	}
	divideRemainder(sizes, ascending.slice(placedCount, end), remainingTokens, shares);
	return shares;
}

function divideRemainder(
	sizes: readonly number[],
	largeIndexes: readonly number[],
	remainingTokens: number,
	shares: number[],
): void {
	if (largeIndexes.length === 0) return;
	const minShare = Math.floor(remainingTokens / largeIndexes.length / 2);
	const rest = remainingTokens - minShare * largeIndexes.length;
	const missingTokens = largeIndexes.reduce((sum, index) => sum + sizes[index]! - minShare, 0);
	for (const index of largeIndexes)
		shares[index] = minShare + Math.floor((rest * (sizes[index]! - minShare)) / missingTokens);
}

/** Fits a text if only its size is known: whole below 100 KiB, a preview above 5 MiB, else cut to its share. */
function fitFileBySize(file: AttachedFile, size: number, { tokens, share }: FileShare): FittedFile {
	const { mode, maxUnits } = planRead(size);
	const fitted = { ...file, content: '', tokens, truncated: false };
	if (mode === 'preview') {
		const previewTokens = Math.ceil(maxUnits / unitsPerToken);
		return { ...fitted, tokens: previewTokens, truncated: true, maxChars: maxUnits, previewMode: true };
	}
	if (mode === 'whole' || tokens <= share) return fitted;
	return { ...fitted, tokens: share, truncated: true, maxChars: share * unitsPerToken };
}

/** Returns the result of a dry run: which files would be cut and to which size, without their content. */
export function removeFileContent(fitted: FitFilesResult): FitFilesResult {
	const files = fitted.files.map((file): FittedFile => {
		const isCut = file.truncated && file.maxChars === undefined;
		return { ...file, content: '', ...(isCut && { maxChars: file.content.length }) };
	});
	return { ...fitted, files };
}

/** Returns a key that is equal for equal attachments; undefined if the attachment's text is not available. */
function createAttachmentKey({ uri, path, content }: AttachedFile): string | undefined {
	const name = uri ?? path;
	return content && name !== undefined ? JSON.stringify([name, content]) : undefined;
}

/** Returns the indexes of attachments that appear again later, verbatim and under the same name. */
export function findRepeatedAttachments(files: readonly AttachedFile[]): ReadonlySet<number> {
	const lastIndexes = new Map<string, number>();
	files.forEach((file, index) => {
		const key = createAttachmentKey(file);
		if (key !== undefined) lastIndexes.set(key, index);
	});
	const isLast = (file: AttachedFile, index: number): boolean => {
		const key = createAttachmentKey(file);
		return key === undefined || lastIndexes.get(key) === index;
	};
	return new Set(files.flatMap((file, index) => (isLast(file, index) ? [] : [index])));
}
