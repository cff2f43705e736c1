import type { AttachedFile } from '../../protocol/files.ts';

/** Identifies an attachment; undefined if its text is not available. */
function attachmentKey({ uri, path, content }: AttachedFile): string | undefined {
	const name = uri ?? path;
	return content && name !== undefined ? JSON.stringify([name, content]) : undefined;
}

/** Returns the indexes of attachments that appear again later, verbatim and under the same name. */
export function findRepeatedAttachments(files: readonly AttachedFile[]): ReadonlySet<number> {
	const last = new Map<string, number>();
	files.forEach((file, index) => {
		const key = attachmentKey(file);
		if (key !== undefined) last.set(key, index);
	});
	const isLast = (file: AttachedFile, index: number): boolean => {
		const key = attachmentKey(file);
		return key === undefined || last.get(key) === index;
	};
	return new Set(files.flatMap((file, index) => (isLast(file, index) ? [] : [index])));
}
