/** Importing transcripts in tests, and looking at what came of them. */

import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { plainText } from '../../server/core/format/wire/content.ts';
import type { AgentSettings } from '../../server/core/transcript/reading/limit.ts';
import { openTranscript, transcriptPath } from '../../server/node/transcript/openTranscript.ts';
import type { IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { messagesOf } from '../../server/session/bodies.ts';
import type { Session } from '../../server/session/session.ts';
import type { SessionStore } from '../../server/session/store/store.ts';
import { createFollowings } from '../../server/session/transcript/followings.ts';
import { Importer } from '../../server/session/transcript/import.ts';
import type { TranscriptFiles } from '../../server/session/transcript/reader.ts';
import { type TestWorld, testClient } from './world.ts';

/** An importer for one client, and the way to end its followings. */
export type TestImporter = Importer & { stopAll(): Promise<void> };

export function importerFor(world: ImporterWorld, files: TranscriptFiles): TestImporter {
	const { store, client } = partsOf(world);
	const followings = createFollowings(store);
	return Object.assign(new Importer(store, followings, client, files), { stopAll: followings.stopAll });
}

/** A world, or a store that belongs to none. */
type ImporterWorld = Pick<TestWorld, 'store' | 'client'> | SessionStore;

function partsOf(world: ImporterWorld): Pick<TestWorld, 'store' | 'client'> {
	return 'run' in world ? { store: world, client: testClient } : world;
}

export function importerOver(
	world: ImporterWorld,
	agentSettings: AgentSettings = { settings: {}, environment: {} },
): TestImporter {
	return importerFor(world, {
		open: openTranscript,
		discover: async () => [],
		pathOf: transcriptPath,
		usageOf: () => undefined,
		modifiedAt: async (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs,
		uriOf: (folder) => pathToFileURL(folder).href,
		settingsOf: () => agentSettings,
	});
}

/** An importer of transcripts that lie nowhere: `open` gives what they hold. */
export function importerOpening(world: ImporterWorld, open: TranscriptFiles['open']): TestImporter {
	return importerFor(world, {
		open,
		discover: async () => [],
		pathOf: (path) => path,
		usageOf: () => undefined,
		modifiedAt: async () => undefined,
		uriOf: (folder) => `file://${folder}`,
		settingsOf: () => ({ settings: {}, environment: {} }),
	});
}

export function sessionOf(world: ImporterWorld, sessionId: string): Promise<Session> {
	const { store, client } = partsOf(world);
	return store.run(sessionId, client, (session) => session);
}

/** What is visible of a session, message by message as it was stored. */
export async function importedHistory(world: ImporterWorld, sessionId: string): Promise<IdentifiedMessage[]> {
	const session = await sessionOf(world, sessionId);
	const rows = session.state.view.map(({ row }) => row);
	return (await messagesOf(session, rows)).map(({ message }, index) => {
		const usage = rows[index]?.usage;
		return { ...message, ...(usage && { usage }) };
	});
}

/** What makes a message what it is, beside its id. */
export function essence({ role, content, toolCalls = [], toolCallId, usage }: IdentifiedMessage) {
	return { role, text: plainText(content), toolCalls, toolCallId, usage };
}

/**
 * The essence of what was imported, and of what was wanted. A message that a compaction moved behind its summary
 * is compared without its figures: they were of another history.
 */
export function comparable(got: readonly IdentifiedMessage[], wanted: readonly IdentifiedMessage[]) {
	const isMoved = got.map(({ id }) => id.startsWith('agent-compaction-'));
	const compared = (message: IdentifiedMessage, index: number) => ({
		...essence(message),
		...(isMoved[index] && { usage: undefined }),
	});
	return { got: got.map(compared), wanted: wanted.map(compared) };
}
