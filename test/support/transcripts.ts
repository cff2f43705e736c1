/** Imports transcripts in tests, and compares the results. */

import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { joinPlainText } from '../../server/core/format/wire/content.ts';
import type { AgentSettings } from '../../server/core/transcript/reading/limit.ts';
import { openTranscript, resolveTranscriptPath } from '../../server/node/transcript/openTranscript.ts';
import type { IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { readRowMessages } from '../../server/session/bodies.ts';
import type { Session } from '../../server/session/session.ts';
import type { SessionStore } from '../../server/session/store/store.ts';
import { Importer } from '../../server/session/transcript/import.ts';
import type { TranscriptFiles } from '../../server/session/transcript/reader.ts';
import { createFollowers } from '../../server/session/transcript/transcriptFollowers.ts';
import { type TestWorld, testClient } from './world.ts';

/** An importer for one client, with a function that stops following files. */
export type TestImporter = Importer & { stopAll(): Promise<void> };

export function importerFor(world: ImporterWorld, files: TranscriptFiles): TestImporter {
	const { store, client } = partsOf(world);
	const followers = createFollowers(store);
	return Object.assign(new Importer(store, followers, client, files), { stopAll: followers.stopAll });
}

/** The services of a test, or only a session store. */
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
		resolvePath: resolveTranscriptPath,
		readUsage: () => undefined,
		readModifiedAt: async (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs,
		toFolderUri: (folder) => pathToFileURL(folder).href,
		readAgentSettings: () => agentSettings,
	});
}

/** Creates an importer that reads no files: `open` returns the content of transcripts. */
export function importerOpening(world: ImporterWorld, open: TranscriptFiles['open']): TestImporter {
	return importerFor(world, {
		open,
		discover: async () => [],
		resolvePath: (path) => path,
		readUsage: () => undefined,
		readModifiedAt: async () => undefined,
		toFolderUri: (folder) => `file://${folder}`,
		readAgentSettings: () => ({ settings: {}, environment: {} }),
	});
}

export function sessionOf(world: ImporterWorld, sessionId: string): Promise<Session> {
	const { store, client } = partsOf(world);
	return store.run(sessionId, client, (session) => session);
}

/** Returns the stored, visible messages of a session. */
export async function importedHistory(world: ImporterWorld, sessionId: string): Promise<IdentifiedMessage[]> {
	const session = await sessionOf(world, sessionId);
	const rows = session.state.view.map(({ row }) => row);
	return (await readRowMessages(session, rows)).map(({ message }, index) => {
		const usage = rows[index]?.usage;
		return { ...message, ...(usage && { usage }) };
	});
}

/** Returns the parts of a message that identify it, without its id. */
export function essence({ role, content, toolCalls = [], toolCallId, usage }: IdentifiedMessage) {
	return { role, text: joinPlainText(content), toolCalls, toolCallId, usage };
}

/**
 * Returns the imported and the expected messages in comparable form. A message that a compaction moved behind its summary
 * is compared without its usage, which belongs to the history before.
 */
export function comparable(got: readonly IdentifiedMessage[], wanted: readonly IdentifiedMessage[]) {
	const isMoved = got.map(({ id }) => id.startsWith('agent-compaction-'));
	const compared = (message: IdentifiedMessage, index: number) => ({
		...essence(message),
		...(isMoved[index] && { usage: undefined }),
	});
	return { got: got.map(compared), wanted: wanted.map(compared) };
}
