import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorText, Failure } from '../../core/failure.ts';
import { pickDefined } from '../../core/shape.ts';
import { pauseForOthers } from '../../core/slices.ts';
import { savedOutputPattern } from '../../node/files/savedOutputs.ts';
import type { ErasedRecords } from '../../node/forget/forget.ts';
import { listStoredForms } from '../../node/forget/searchFiles.ts';
import type { RecallResult } from '../../protocol/history.ts';
import type {
	ReadRecordingParams,
	ReadRecordingResult,
	RecordedSession,
	RecorderForgetParams,
	RecorderMessagesParams,
	RecorderMessagesResult,
	RecorderPinParams,
	RecorderSessionsParams,
	RecorderSetParams,
	RecorderStatus,
} from '../../protocol/recorder.ts';
import type { Logger } from '../../session/ports.ts';
import { Archive } from '../archive/archive.ts';
import { ErasureMark } from '../archive/erasureMark.ts';
import type { Recording } from '../archive/recording.ts';
import { Follower } from '../follow/follower.ts';
import { pickAgentVariables } from '../follow/searchSteps.ts';
import { removeIndex } from '../index/indexStore.ts';
import { SearchIndex } from '../index/searchIndex.ts';
import { readRecorderSettings, type StoredRecorderSettings, writeRecorderSettings } from '../settings.ts';
import { SpaceKeeper } from '../spaceKeeper.ts';
import type { RecorderStart } from '../threadMessages.ts';
import { type RecordingSearch, readMessages, recallRecorded } from './recall.ts';

/** Methods of the recorder's thread, by name. */
export type ServiceMethods = Readonly<Record<string, (params: never) => unknown>>;

/** The recorder in its thread: opens the archive and the index, follows transcripts, and answers calls. */
export class RecorderService {
	readonly #startData: RecorderStart;
	readonly #log: Logger;
	readonly #onRecordingChange: (recording: boolean) => void;
	readonly #erasure: ErasureMark;
	#settings: StoredRecorderSettings;
	#archive: Archive | undefined;
	#space: SpaceKeeper | undefined;
	#follower: Follower | undefined;
	#checkTimer: NodeJS.Timeout | undefined;
	#index: SearchIndex | undefined;
	readonly methods: ServiceMethods = {
		status: () => this.#readStatus(),
		set: (params: RecorderSetParams & ClientVariables) => this.#changeSettings(params),
		sessions: (params: RecorderSessionsFilter) => this.#listSessions(params),
		pin: ({ recordingId, pinned }: RecorderPinParams) => this.#pin(recordingId, pinned),
		forget: (params: RecorderForgetParams) => this.#recordThenForget(params),
		recall: (params: RecordingSearch) => this.#recall(params),
		messages: (params: RecorderMessagesParams) => this.#readMessagesAround(params),
		read: (params: ReadRecordingParams) => this.#readPage(params),
	};

	constructor(startData: RecorderStart, log: Logger, onRecordingChange: (recording: boolean) => void) {
		this.#startData = startData;
		this.#log = log;
		this.#onRecordingChange = onRecordingChange;
		this.#erasure = new ErasureMark(startData.folder);
		this.#settings = readRecorderSettings(startData.folder);
	}

	/** Starts recording if the user consented. */
	start(): void {
		if (this.#erasure.isSet) this.#openArchive();
		const { recording, environment } = this.#settings;
		if (!recording) return;
		const { folder, home, platform } = this.#startData;
		const archive = this.#openArchive();
		const space = new SpaceKeeper(archive, folder, this.#log);
		this.#space = space;
		const check = (): void => space.check(this.#settings);
		this.#checkTimer = setInterval(check, checkMs);
		this.#follower = new Follower({
			archive,
			machine: { environment, home, platform },
			excludedFolders: () => this.#settings.excludedFolders,
			log: this.#log,
			onFailure: (error) => space.handleFailure(error),
			onSuccess: () => space.handleRecovery(),
		});
		this.#follower.start();
		this.#log.info(`recording sessions to ${folder}`);
	}

	/** Commits and closes everything. */
	async stop(): Promise<void> {
		await this.#stopFollowing();
		this.#index?.close();
		this.#archive?.close();
		this.#index = undefined;
		this.#archive = undefined;
	}

	/** Resolves once all existing transcripts are recorded, or a problem prevents that. */
	async whenCaughtUp(): Promise<void> {
		while (this.#follower && !this.#follower.isIdle && this.#space?.problem === undefined)
			await setTimeout(20);
	}

	async #stopFollowing(): Promise<void> {
		clearInterval(this.#checkTimer);
		const follower = this.#follower;
		this.#follower = undefined;
		this.#space = undefined;
		await follower?.stop();
	}

	get #archiveFile(): string {
		return join(this.#startData.folder, 'archive.sqlite');
	}

	/** Returns the archive, which is opened at first use together with the index, because the index must see all changes. */
	#openArchive(): Archive {
		if (this.#archive !== undefined) return this.#archive;
		const file = join(this.#startData.folder, 'index.sqlite');
		this.#archive = new Archive(this.#archiveFile);
		if (this.#erasure.isSet) this.#completeErasure(this.#archive, file);
		try {
			this.#index = new SearchIndex(this.#archive, file, (text) => this.#log.warn(text));
		} catch (error) {
			this.#log.error(`recorded sessions cannot be searched: ${errorText(error)}`);
		}
		return this.#archive;
	}

	/** Completes an erasure that a killed process began. The index is deleted and later built again. */
	#completeErasure(archive: Archive, indexFile: string): void {
		archive.scrub();
		removeIndex(indexFile);
		this.#erasure.clear();
		this.#log.info('completed an erasure that was interrupted');
	}

	/** Returns the index. Throws `StorageFailed` if the index cannot be opened. */
	#openIndex(): SearchIndex {
		this.#openArchive();
		if (this.#index !== undefined) return this.#index;
		throw new Failure('StorageFailed', 'recorded sessions cannot be searched: see the log of the daemon');
	}

	#recall(params: RecordingSearch): RecallResult {
		const archive = this.#openArchive();
		if (!this.#settings.recording && archive.recordingCount === 0) {
			throw new Failure(
				'SessionNotFound',
				'no session is recorded: recording is off, and "contextd record on" starts it',
			);
		}
		return recallRecorded(archive, this.#openIndex(), this.#follower?.unreadTranscripts ?? [], params);
	}

	#readMessagesAround({ recordingId, ...params }: RecorderMessagesParams): RecorderMessagesResult {
		const recording = this.#requireRecording(recordingId);
		const messages = readMessages(this.#openIndex(), { ...params, recordingId: recording.recordingId });
		return { session: toSession(recording), messages };
	}

	#readStatus(): RecorderStatus {
		const { environment: _, ...settings } = this.#settings;
		// A request for the status must not create an archive.
		const archive = existsSync(this.#archiveFile) ? this.#openArchive() : undefined;
		return {
			...settings,
			folder: this.#startData.folder,
			recordings: archive?.recordingCount ?? 0,
			bytes: archive?.countUsedBytes() ?? 0,
			...pickDefined({
				problem: this.#space?.problem,
				watchRefusal: this.#follower?.watchRefusal,
				unread: this.#follower?.unreadTranscripts.length || undefined,
			}),
		};
	}

	/** Stores and applies changed settings. The client that turns recording on decides where agents' folders are searched. */
	async #changeSettings({
		environment = {},
		...changes
	}: RecorderSetParams & ClientVariables): Promise<RecorderStatus> {
		const folders = changes.recording ? { environment: pickAgentVariables(environment) } : {};
		this.#settings = { ...this.#settings, ...pickDefined(changes), ...folders };
		writeRecorderSettings(this.#startData.folder, this.#settings);
		this.#onRecordingChange(this.#settings.recording);
		await this.#stopFollowing();
		this.start();
		this.#space?.check(this.#settings);
		return this.#readStatus();
	}

	#listSessions({
		parent: name,
		limit = defaultSessionLimit,
		...filter
	}: RecorderSessionsFilter): RecordedSession[] {
		const archive = this.#openArchive();
		// A session without an id has no sub-agents.
		const parent = name === undefined ? null : (this.#requireRecording(name).sessionId ?? '');
		return archive.listRecordings({ ...filter, parent, limit }).map(toSession);
	}

	#pin(name: string, pinned: boolean): RecordedSession {
		const family = this.#listFamily(this.#requireRecording(name));
		for (const { recordingId } of family) this.#openArchive().pin(recordingId, pinned);
		return toSession(this.#requireRecording(family[0].recordingId));
	}

	/** Returns a recording, then those of all its direct and indirect sub-agents. */
	#listFamily(recording: Recording): [Recording, ...Recording[]] {
		const family: [Recording, ...Recording[]] = [recording];
		for (const { agent, sessionId } of family) {
			if (sessionId === undefined) continue;
			const children = this.#openArchive().listRecordings({ agent, parent: sessionId });
			// A damaged transcript may name its own session, or that of its child, as its parent.
			const isNew = (one: Recording) => family.every(({ recordingId }) => recordingId !== one.recordingId);
			family.push(...children.filter(isNew));
		}
		return family;
	}

	/**
	 * Erases recorded sessions or texts. First records all existing transcripts, unless the session is already recorded: if a
	 * transcript were recorded later, the erased text or session would return.
	 */
	async #recordThenForget(params: RecorderForgetParams): Promise<ErasedRecords> {
		const { recordingId } = params;
		const isRecorded =
			recordingId !== undefined && this.#openArchive().findRecording(recordingId) !== undefined;
		if (!isRecorded) {
			await this.#follower?.readAgain();
			await this.whenCaughtUp();
		}
		return params.dryRun ? this.#forget(params) : this.#erase(params);
	}

	/** Erases from the archive, then from the index. If the process is killed in between, the next process erases the rest. */
	async #erase(params: RecorderForgetParams): Promise<ErasedRecords> {
		this.#openArchive();
		this.#erasure.set();
		const erased = await this.#forget(params);
		if (await this.#index?.whenErased()) this.#erasure.clear();
		return erased;
	}

	async #forget({ recordingId, containing = '', dryRun }: RecorderForgetParams): Promise<ErasedRecords> {
		const archive = this.#openArchive();
		if (recordingId !== undefined) {
			const family = this.#listFamily(this.#requireRecording(recordingId));
			const outputs = dryRun ? family.flatMap((one) => this.#findOutputNames(one)) : [];
			// Sub-agents first: if this process is killed, the user can still name the session and erase the rest.
			if (!dryRun) for (const one of family.toReversed()) archive.forget(one.recordingId);
			const entries = family.reduce((sum, one) => sum + one.entries, 0);
			return { sessions: family.map(toSession), entries, outputs };
		}
		const matches = await this.#findRecordingsWithText(archive, containing);
		for (const match of dryRun ? [] : matches) {
			if (match.seqs.length > 0) archive.forgetEntries(match.recordingId, match.seqs);
			if (match.hasTextInTitle) archive.updateInfo(match.recordingId, { title: '' });
		}
		if (!dryRun && matches.length > 0) archive.scrub();
		return {
			sessions: matches.map(({ session }) => session),
			entries: matches.reduce((sum, { seqs }) => sum + seqs.length, 0),
			outputs: [],
		};
	}

	async #findRecordingsWithText(archive: Archive, text: string): Promise<RecordingWithText[]> {
		const matches: RecordingWithText[] = [];
		const forms = listStoredForms(text).map((form) => form.toString());
		for (const recording of archive.listRecordings()) {
			const seqs = await this.#findEntriesWithText(archive, recording, forms);
			const { recordingId, title = '' } = recording;
			const hasTextInTitle = title.includes(text) || (seqs.length > 0 && mayReveal(title, text));
			if (seqs.length > 0 || hasTextInTitle)
				matches.push({ recordingId, session: toSession(recording), seqs, hasTextInTitle });
		}
		// During the search, another call may have erased some recordings.
		return matches.filter(
			({ recordingId }) => archive.findRecording(recordingId)?.recordingId === recordingId,
		);
	}

	/** Finds the entries that contain one of the texts. Reads in slices, so that other calls are answered in between. */
	async #findEntriesWithText(
		archive: Archive,
		{ recordingId }: Recording,
		forms: readonly string[],
	): Promise<number[]> {
		const seqs: number[] = [];
		for (let from = 0; ; ) {
			await pauseForOthers();
			if (this.#archive !== archive) throw new Failure('StorageFailed', 'the daemon is ending');
			// Another call may have erased the recording.
			if (archive.findRecording(recordingId)?.recordingId !== recordingId) return [];
			const until = performance.now() + sliceMs;
			let isComplete = true;
			for (const { seq, text } of archive.readEntries(recordingId, from)) {
				if (forms.some((form) => text.includes(form))) seqs.push(seq);
				from = seq + 1;
				if (performance.now() < until) continue;
				isComplete = false;
				break;
			}
			if (isComplete) return seqs;
		}
	}

	/** Returns the names of saved outputs that the shortened results of a session mention. */
	#findOutputNames({ recordingId }: Recording): string[] {
		const names = new Set<string>();
		for (const { text } of this.#openArchive().readEntries(recordingId)) {
			for (const [name] of text.matchAll(savedOutputPattern)) names.add(name);
		}
		return [...names];
	}

	#readPage({ recording: name, fromSeq = 0 }: ReadRecordingParams): ReadRecordingResult {
		const recording = this.#requireRecording(name);
		const entries: ReadRecordingResult['entries'] = [];
		let units = 0;
		for (const entry of this.#openArchive().readEntries(recording.recordingId, fromSeq)) {
			entries.push(entry);
			units += entry.text.length;
			if (units >= maxPageUnits) break;
		}
		return { recording: toSession(recording), entries };
	}

	#requireRecording(name: string): Recording {
		const recording = this.#openArchive().findRecording(name);
		if (recording === undefined) throw new Failure('SessionNotFound', `no recording "${name}"`, { name });
		return recording;
	}
}

interface RecordingWithText {
	recordingId: string;
	session: RecordedSession;
	/** Seqs of the entries that contain the text. */
	seqs: number[];
	/** Whether the title contains the text or a part of it. */
	hasTextInTitle: boolean;
}

/** The environment variables of the calling client. */
interface ClientVariables {
	environment?: Readonly<Record<string, string | undefined>>;
}

/** Milliseconds of a slice of a long search. Other calls are answered between slices. */
const sliceMs = 20;

type RecorderSessionsFilter = Omit<RecorderSessionsParams, 'workspace'> & { folder?: string };

/** Milliseconds between two checks of the limits. */
const checkMs = 60_000;
/** A page of entries ends once it has this many UTF-16 units. */
const maxPageUnits = 1 << 20;

/** Number of recordings that are listed if the caller sets no limit. */
const defaultSessionLimit = 100;

/** Whether a title contains a longer word of a text. A truncated title may contain only a part of the text. */
function mayReveal(title: string, text: string): boolean {
	return title.split(/[\s…]+/).some((word) => word.length >= minRevealingChars && text.includes(word));
}

/** Minimum characters of a word in a title that can reveal a text. */
const minRevealingChars = 4;

function toSession({ generation: _, nextSeq: __, title, ...recording }: Recording): RecordedSession {
	// An empty title means that the user erased it.
	return { ...recording, ...(title !== '' && pickDefined({ title })) };
}
