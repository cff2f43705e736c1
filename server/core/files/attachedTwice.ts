import type { AttachedFile } from '../../protocol/files.ts';

/** What tells an attachment from others; undefined where its text is not there yet. */
function keyOf({ uri, path, content }: AttachedFile): string | undefined {
	const name = uri ?? path;
	return content && name !== undefined ? JSON.stringify([name, content]) : undefined;
}

/** The attachments that come again, word for word and under the same name: by index, all but the last of each. */
export function attachedTwice(files: readonly AttachedFile[]): ReadonlySet<number> {
	const last = new Map<string, number>();
	files.forEach((file, index) => {
		const key = keyOf(file);
		if (key !== undefined) last.set(key, index);
	});
	const isLast = (file: AttachedFile, index: number): boolean => {
		const key = keyOf(file);
		return key === undefined || last.get(key) === index;
	};
	return new Set(files.flatMap((file, index) => (isLast(file, index) ? [] : [index])));
}
