/** Taking messages and usage figures in. */

import { Failure } from '../core/failure.ts';
import { folderOf } from '../core/files/folder.ts';
import type { FormatName } from '../core/format/adapter.ts';
import type { Usage } from '../core/history/message.ts';
import { ingest } from './ingest.ts';
import { commit, type Session, writable } from './session.ts';
import type { SessionStore } from './store.ts';

export interface AppendAnswer {
	messageIds: string[];
	messageCount: number;
}

/** Adds messages; resolves once they are on disk. All of them are taken, or none. */
export async function appendMessages(
	store: SessionStore,
	session: Session,
	messages: readonly unknown[],
	format: FormatName,
): Promise<AppendAnswer> {
	const { world } = store;
	writable(session);
	const { state } = session;
	const { provider, model, workspace } = state.info;
	const { rows, bodies, messageIds } = ingest(messages, format, {
		state,
		measure: world.measures.for(provider, model, world.settings().estimator),
		digest: world.digest,
		folder: folderOf(workspace),
	});
	if (rows.length > 0) {
		session.recoveries = 0;
		await commit(world, session, { t: 'append', at: world.now(), rows }, bodies);
	}
	return { messageIds, messageCount: state.view.length };
}

/** Takes usage figures that arrived after their message. Fails with `MessageNotFound`. */
export async function reportUsage(
	store: SessionStore,
	session: Session,
	messageId: string,
	usage: Usage,
	stopReason?: string,
): Promise<void> {
	const seq = session.state.index.get(messageId);
	if (seq === undefined) {
		throw new Failure('MessageNotFound', `messageId: "${messageId}" is no message of this session`, {
			messageId,
		});
	}
	if (session.state.rows[seq]?.role !== 'assistant') {
		throw new Failure(
			'InvalidParams',
			`messageId: expected an assistant message, got "${messageId}", which is none`,
		);
	}
	await commit(store.world, session, {
		t: 'usage',
		id: messageId,
		usage,
		...(stopReason !== undefined && { stopReason }),
		at: store.world.now(),
	});
}
