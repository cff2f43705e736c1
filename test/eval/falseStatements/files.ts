import { type CheckedView, type FalseStatement, plainLine, type ViewLine } from './checkedView.ts';
import { type FileEvent, fileEvents, isSamePath } from './fileEvents.ts';

const removalMark =
	/\brm\b|\bremov|\bdelet|\bmv\b|\bmoved\b|\brenamed?\b|\bgone\b|no longer|revert|took? (?:it|that|them) back|take (?:it|that|them) back|Delete File|entfern|gelöscht|verschoben|umbenannt|benenne|削除|移動/i;
const negation = /\bnot\b|n't\b|\bnever\b|wrong|nicht|\bno need|ません/i;

/** A file for a single test, which nobody expects to exist later. */
const temporaryPath = /^(?:\/private)?\/tmp\//;

/**
 * Finds removed files that a view mentions as if they existed, and existing files that are removed according to the view's
 * last line about them.
 */
export function wrongFiles(view: CheckedView): FalseStatement[] {
	const { lines, userLines } = view;
	return [...finalStates(fileEvents(view.calls))].flatMap(([path, isThere]): FalseStatement[] => {
		const mention = mentionOf(path);
		const about = lines.filter(({ text }) => mention.test(text));
		const own = about.findLast(({ text, isOwn }) => isOwn && !userLines.has(plainLine(text)));
		const last = about.at(-1);
		if (own === undefined || last === undefined) return [];
		const folder = mentionOf(path.slice(0, Math.max(0, path.lastIndexOf('/'))), '/');
		const hasMark = ({ text }: ViewLine): boolean =>
			removalMark.test(text) && (mention.test(text) || (path.includes('/') && folder.test(text)));
		if (!isThere && !temporaryPath.test(path) && !lines.some(hasMark))
			return [{ kind: 'removed file', line: own.text, reason: `${path} was removed or moved` }];
		if (
			isThere &&
			last === own &&
			removalMark.test(own.text) &&
			!negation.test(own.text) &&
			!namesSeveralFiles(own.text)
		)
			return [{ kind: 'existing file', line: own.text, reason: `${path} exists` }];
		return [];
	});
}

/** Whether a line names several files, so that a mark in the line may belong to another file. */
function namesSeveralFiles(text: string): boolean {
	return (text.match(/[\w-]+\.[a-z]{1,5}\b/gi) ?? []).length > 1;
}

/**
 * Returns a pattern for the last two parts of a path, as a separate word. With `noNext`, none of these characters may follow:
 * a folder's path that continues names another file.
 */
function mentionOf(path: string, noNext = ''): RegExp {
	const name = path.split('/').slice(-2).join('/');
	const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	return new RegExp(`(?<![\\w.-])${escaped}(?![\\w${noNext}-]|\\.\\w)`);
}

/** Returns for every file that was removed or moved, by the path of that event, whether it exists at the end. */
function finalStates(events: readonly FileEvent[]): Map<string, boolean> {
	const removed = new Map<string, boolean>();
	const exists = (path: string) => {
		for (const known of removed.keys()) if (path === '.' || isSamePath(known, path)) removed.set(known, true);
	};
	for (const event of events) {
		if (event.type === 'committed' || event.type === 'stashed' || event.type === 'unstashed') continue;
		if (event.type === 'removed' || event.type === 'moved') {
			for (const known of removed.keys()) if (isSamePath(known, event.path)) removed.set(known, false);
			if (/\.\w+$/.test(event.path)) removed.set(event.path, false);
		}
		if (event.type === 'moved') {
			const wasRemoved = removed.get(event.path);
			exists(event.to);
			// A file that moves to an outer folder has a path with the same end.
			if (wasRemoved !== undefined) removed.set(event.path, wasRemoved);
		} else if (event.type !== 'removed' && event.path !== '') exists(event.path);
	}
	return removed;
}
