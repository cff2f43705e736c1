/** Opens, creates and changes sessions: `session/open` and `session/update`. */

import { Failure } from '../../core/failure.ts';
import { createLocationKey, toSlashedPath, toUri } from '../../core/files/folder.ts';
import type { JournalRecord, SessionInfo } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';
import { findModelProvider } from '../../core/models/familyName.ts';
import { pickDefined } from '../../core/shape.ts';
import { type AgentSettings, findPluginAgent } from '../../core/transcript/index.ts';
import type {
	JournalPosition,
	OpenParams,
	OpenResult,
	SessionChange,
	UpdateParams,
} from '../../protocol/session.ts';
import { encodeValue } from '../body.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import { forgetUsageFigures, recountIfNeeded } from '../remeasure.ts';
import { requireWritableJournal, type Session, selectMeasure } from '../session.ts';
import type { SessionStore } from './store.ts';

/** A session to open, with options that only the daemon sets. */
export interface OpenOptions extends OpenParams {
	/** The workspace of a new session if `workspace` is absent. */
	defaultWorkspace?: string;
	/** The agent whose transcript the session mirrors. */
	source?: string;
	/** Path of the transcript. */
	transcript?: string;
	/** The window that the agent states, in tokens. */
	statedWindow?: number;
	/** Usage figures of the skipped beginning of the transcript. */
	passed?: SessionInfo['passed'];
	/** The agent's own settings for its window. */
	agentSettings?: SessionInfo['agentSettings'];
	/** Reads an agent's own settings for its folder, if its plugin syncs the session. */
	readAgentSettings?(agent: string, folder: string | undefined): AgentSettings;
}

/** Returns the end of a session's journal. */
export function getJournalPosition({ info, version }: State): JournalPosition {
	return { generation: info.createdAt, records: version };
}

/** Returns the result of `session/open` for an open session. */
export function createOpenResult(session: Session, client: ClientContext, created: boolean): OpenResult {
	const { info, view, revision } = session.state;
	const isSyncedByPlugin = findPluginAgent(session.id) !== undefined;
	const { journal, refusal } = session;
	return {
		sessionId: session.id,
		created,
		messageCount: view.length,
		provider: info.provider,
		model: info.model,
		revision,
		journal: getJournalPosition(session.state),
		...(isSyncedByPlugin && { agents: client.getSettings().agents }),
		...pickDefined({ salvaged: journal?.salvaged, readOnly: refusal?.message }),
	};
}

function selectChanges(params: SessionChange): SessionChange {
	const { provider, model, title, contextWindow, maxOutputTokens, threshold, targetRatio } = params;
	return pickDefined({ provider, model, title, contextWindow, maxOutputTokens, threshold, targetRatio });
}

function toWorkspaceUri(workspace: string | undefined): string | undefined {
	return workspace === undefined ? undefined : toUri(workspace);
}

/** Returns the workspace that the client names, if it differs from the known one; else undefined. */
function findNewWorkspace(current: string | undefined, workspace: string | undefined): string | undefined {
	const isKnown =
		current !== undefined &&
		workspace !== undefined &&
		createLocationKey(current) === createLocationKey(workspace);
	return isKnown ? undefined : workspace;
}

/** Reads the agent's own settings for a folder, if its plugin syncs the session. */
function readPluginSettings(
	{ readAgentSettings: settingsOf }: OpenOptions,
	sessionId: string,
	workspace: string | undefined,
): Pick<SessionInfo, 'agentSettings'> {
	const agent = findPluginAgent(sessionId);
	if (!agent || !settingsOf) return {};
	return { agentSettings: settingsOf(agent.name, toSlashedPath(workspace)) };
}

/** Opens or creates a session. If the session exists, the params change its description. */
export function openSession(
	store: SessionStore,
	client: ClientContext,
	params: OpenOptions,
): Promise<OpenResult> {
	const { services } = store;
	if (params.readOnly) {
		if (params.sessionId === undefined)
			throw new Failure('InvalidParams', 'sessionId: expected the id of the session to follow, got nothing');
		return store.run(params.sessionId, client, (session) => createOpenResult(session, client, false));
	}
	const { source, transcript, statedWindow, passed, agentSettings } = params;
	const mirrorInfo = pickDefined({ source, transcript, statedWindow, passed, agentSettings });
	const { sessionId = services.createId() } = params;
	const folder = toWorkspaceUri(params.workspace ?? params.defaultWorkspace);
	const info: SessionInfo = {
		sessionId,
		provider: findModelProvider(params.model),
		model: '',
		...pickDefined({ workspace: folder }),
		...selectChanges(params),
		...mirrorInfo,
		...readPluginSettings(params, sessionId, folder),
		createdAt: services.now(),
	};
	const collectChanges = (session: Session): Partial<SessionInfo> => {
		const current = session.state.info.workspace;
		const workspace = findNewWorkspace(current, toWorkspaceUri(params.workspace));
		const pluginSettings = readPluginSettings(params, sessionId, workspace ?? current);
		return { ...selectChanges(params), ...mirrorInfo, ...pluginSettings, ...pickDefined({ workspace }) };
	};
	return store.runOrCreate(info, client, async (session, created, lane) => {
		lane.hold();
		if (!created && session.journal) await changeSession(session, collectChanges(session));
		return createOpenResult(session, client, created);
	});
}

/** Whether a change would change the state. */
function hasChanges(state: State, change: Partial<SessionInfo>): boolean {
	return Object.entries(change).some(
		([key, value]) => JSON.stringify(state.info[key as keyof SessionInfo]) !== JSON.stringify(value),
	);
}

async function changeSession(session: Session, change: Partial<SessionInfo>): Promise<void> {
	if (!hasChanges(session.state, change)) return;
	requireWritableJournal(session);
	const { provider, model } = session.state.info;
	await commit(session, { t: 'set', change });
	await recountIfNeeded(session);
	const currentInfo = session.state.info;
	if (currentInfo.provider !== provider || currentInfo.model !== model) await forgetUsageFigures(session);
}

/** Changes a session's description, and the parts of its requests besides the history. */
export function updateSession(
	store: SessionStore,
	client: ClientContext,
	params: UpdateParams,
): Promise<OpenResult> {
	return store.run(params.sessionId, client, async (session, lane) => {
		lane.hold();
		await changeSession(session, selectChanges(params));
		if (params.request) await setRequest(session, params.request);
		return createOpenResult(session, client, false);
	});
}

async function setRequest(session: Session, request: NonNullable<UpdateParams['request']>): Promise<void> {
	const measure = selectMeasure(session);
	const record: JournalRecord = {
		t: 'request',
		counts: measure.countRequest(request),
		...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
		body: 0,
	};
	await commit(session, record, [encodeValue(request)]);
}
