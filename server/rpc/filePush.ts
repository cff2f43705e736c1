/** Tells the client that files changed which its sessions know. */

import type { DidChangeFileParams } from '../protocol/push.ts';
import { didChangeFile } from '../protocol/push.ts';
import type { ClientConnection } from './call/client.ts';

/** Changes of one file that follow one another within this are told once. Milliseconds. */
const coalesced = 50;

/** Gives what takes the news; where the client does not want to be told, it is told nothing. */
export function createFilePush(
	client: () => ClientConnection,
	isWanted: () => boolean,
): (news: DidChangeFileParams) => void {
	const waiting = new Map<string, DidChangeFileParams>();

	function tell(uri: string): void {
		const news = waiting.get(uri);
		waiting.delete(uri);
		if (news) void client().notify(didChangeFile, news);
	}

	return (news) => {
		if (!isWanted()) return;
		const before = waiting.get(news.uri);
		if (!before) setTimeout(() => tell(news.uri), coalesced).unref();
		const sessionIds = [...new Set([...(before?.sessionIds ?? []), ...news.sessionIds])];
		waiting.set(news.uri, { ...news, sessionIds });
	};
}
