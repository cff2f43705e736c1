/** A conversation whose user switches between branches, while answers of the daemon are lost. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeDelta, emptySyncState, resumeState, type SyncState } from '../../kit/daemonSession.ts';
import { anthropicDialect as dialect } from '../../kit/dialects/anthropic.ts';
import { computeChainIds, parseLocation } from '../../kit/fingerprint.ts';
import { contextHistory } from '../../server/protocol/history.ts';
import { type App, freshFolder, startingApps } from '../support/app.ts';
import { type Native, said, toDaemonMessages } from './conversations.ts';
import { type Host, memoryStore, sessionId, smallWindow, startHost } from './host.ts';

const { start } = startingApps();

const trunk = [said('user', 'Where do we sail?'), said('assistant', 'Where you like.')];
const azores = [...trunk, said('user', 'Sail to the Azores.'), said('assistant', 'Aye, Azores.')];
const madeira = [...trunk, said('user', 'Sail to Madeira.'), said('assistant', 'Aye, Madeira.')];
const next = (branch: readonly Native[]): Native[] => [...branch, said('user', 'And then?')];

async function shownBy(app: App): Promise<string[]> {
	const { messages } = await app.ask(contextHistory, { sessionId });
	return textsOf(messages as Native[]);
}

const textsOf = (raw: readonly Native[]): string[] =>
	raw.map(({ content }) => (content as { text: string }[])[0]?.text ?? '');

const view = ({ conversation }: Host, raw: readonly Native[]) => conversation.view(raw, smallWindow);

describe.each(['session/rewind', 'session/append'])('after a lost answer to %s', (method) => {
	it('the daemon has the whole branch after the request that follows a lost answer', async () => {
		const app = await start({ home: freshFolder() });
		const host = startHost(() => app);
		await view(host, azores);
		host.lose(method);
		await view(host, madeira);
		await view(host, next(madeira));
		expect(await shownBy(app)).toEqual(textsOf(next(madeira)));
	});

	it('the daemon has the earlier branch again when the user returns to it after a lost answer', async () => {
		const app = await start({ home: freshFolder() });
		const host = startHost(() => app);
		await view(host, azores);
		host.lose(method);
		await view(host, madeira);
		await view(host, next(azores));
		expect(await shownBy(app)).toEqual(textsOf(next(azores)));
	});
});

it('the daemon has the whole branch if the previous process ended before it stored what it had sent', async () => {
	const app = await start({ home: freshFolder() });
	const store = memoryStore();
	const host = startHost(() => app, store);
	await view(host, azores);
	const stored = new Map(store.texts);
	await view(host, madeira);
	for (const [id, text] of stored) store.texts.set(id, text);
	const later = startHost(() => app, store);
	await view(later, next(azores));
	expect(await shownBy(app)).toEqual(textsOf(next(azores)));
	await view(later, next(madeira));
	expect(await shownBy(app)).toEqual(textsOf(next(madeira)));
});

/** A session of a daemon that supports appends and rewinds. */
class Session {
	shown: string[] = [];
	readonly #used = new Set<string>();

	rewind(messageId: string): void {
		const index = this.shown.indexOf(messageId);
		if (messageId !== '' && index < 0) throw new Error(`no message ${messageId}`);
		this.shown = this.shown.slice(0, index + 1);
	}

	append(ids: readonly string[]): void {
		for (const id of ids) {
			if (!this.#used.has(id)) this.shown.push(id);
			this.#used.add(id);
		}
	}
}

/** Lists of messages. A message without text has no counterpart in the session. */
const branch = fc
	.array(fc.constantFrom('', 'a', 'b', 'c'), { maxLength: 6 })
	.map((words) => words.map((word) => (word === '' ? { role: 'user', content: [] } : said('user', word))));
const step = fc.record({
	raw: branch,
	/** The loss at this step: nothing, a request, an answer, or the memory of the process since the last step. */
	lost: fc.constantFrom('nothing', 'request', 'rewind', 'append', 'process'),
});

it('the session has the list of the last request, whatever was lost before', () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 8 }), branch, (steps, last) => {
			const session = new Session();
			let feed: SyncState = emptySyncState;
			let isSure = true;
			let clock = 0;
			for (const { raw, lost } of [...steps, { raw: last, lost: 'nothing' }]) {
				if (!isSure) feed = resumeState(feed, session.shown, ++clock);
				isSure = lost === 'nothing';
				const { rewindTo, append, next } = computeDelta(feed, raw, computeChainIds(dialect, raw), dialect);
				if (lost === 'request') continue;
				if (rewindTo !== undefined) session.rewind(rewindTo);
				if (lost === 'rewind') continue;
				session.append(append.map(({ id = '' }) => id));
				if (isSure) feed = next;
			}
			const chains = (ids: readonly (string | undefined)[]) =>
				ids.map((id) => parseLocation(id ?? '')?.chainId);
			expect(chains(session.shown)).toEqual(chains(toDaemonMessages(last).map(({ id }) => id)));
		}),
		{ numRuns: 2000 },
	);
});
