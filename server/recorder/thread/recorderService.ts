import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorText, Failure } from '../../core/failure.ts';
import { withoutUndefined } from '../../core/shape.ts';
import { pauseForOthers } from '../../core/slices.ts';
import { savedOutputName } from '../../node/files/savedOutputs.ts';
import type { ErasedRecords } from '../../node/forget/forget.ts';
import { storedForms } from '../../node/forget/searchFiles.ts';
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
import { agentVariables } from '../follow/homes.ts';
import { removeIndex } from '../index/indexStore.ts';
import { SearchIndex } from '../index/searchIndex.ts';
import { readRecorderSettings, type StoredRecorderSettings, writeRecorderSettings } from '../settings.ts';
import { SpaceKeeper } from '../spaceKeeper.ts';
import type { RecorderStart } from '../threadMessages.ts';
import { type RecordingSearch, readMessages, recallRecorded } from './recall.ts';

/** Methods of the recorder's thread, by name. */
export type ServiceMethods = Readonly<Record<string, (params: never) => unknown>>;

/** Runs in the recorder's thread: opens the archive and its index, follows transcripts, and answers calls. */
export class RecorderService {
	readonly #start: RecorderStart;
	readonly #log: Logger;
	readonly #recordingChanged: (recording: boolean) => void;
	readonly #erasure: ErasureMark;
	#settings: StoredRecorderSettings;
	#archive: Archive | undefined;
	#space: SpaceKeeper | undefined;
	#follower: Follower | undefined;
	#checks: NodeJS.Timeout | undefined;
	#index: SearchIndex | undefined;
	readonly methods: ServiceMethods = {
		status: () => this.#status(),
		set: (params: RecorderSetParams & ClientVariables) => this.#set(params),
		sessions: (params: RecorderSessionsFilter) => this.#sessions(params),
		pin: ({ recordingId, pinned }: RecorderPinParams) => this.#pin(recordingId, pinned),
		forget: (params: RecorderForgetParams) => this.#forgetAll(params),
		recall: (params: RecordingSearch) => this.#recall(params),
		messages: (params: RecorderMessagesParams) => this.#messages(params),
		read: (params: ReadRecordingParams) => this.#read(params),
	};

	constructor(start: RecorderStart, log: Logger, recordingChanged: (recording: boolean) => void) {
		this.#start = start;
		this.#log = log;
		this.#recordingChanged = recordingChanged;
		this.#erasure = new ErasureMark(start.folder);
		this.#settings = readRecorderSettings(start.folder);
	}

	/** Records if the user consented. */
	start(): void {
		if (this.#erasure.isSet) this.#openArchive();
		const { recording, environment } = this.#settings;
		if (!recording) return;
		const { folder, home, platform } = this.#start;
		const archive = this.#openArchive();
		const space = new SpaceKeeper(archive, folder, this.#log);
		this.#space = space;
		const check = (): void => space.check(this.#settings);
		this.#checks = setInterval(check, checkMs);
		this.#follower = new Follower({
			archive,
			machine: { environment, home, platform },
			excludedFolders: () => this.#settings.excludedFolders,
			log: this.#log,
			failed: (error) => space.failed(error),
			succeeded: () => space.recovered(),
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

	/** Resolves once every transcript that was found is recorded, or once a problem prevents it. */
	async caughtUp(): Promise<void> {
		while (this.#follower && !this.#follower.isIdle && this.#space?.problem === undefined)
			await setTimeout(20);
	}

	async #stopFollowing(): Promise<void> {
		clearInterval(this.#checks);
		const follower = this.#follower;
		this.#follower = undefined;
		this.#space = undefined;
		await follower?.stop();
	}

	get #file(): string {
		return join(this.#start.folder, 'archive.sqlite');
	}

	/** The archive, opened at first use together with the index, which must follow all of its changes. */
	#openArchive(): Archive {
		if (this.#archive !== undefined) return this.#archive;
		const file = join(this.#start.folder, 'index.sqlite');
		this.#archive = new Archive(this.#file);
		if (this.#erasure.isSet) this.#completeErasure(this.#archive, file);
		try {
			this.#index = new SearchIndex(this.#archive, file, (text) => this.#log.warn(text));
		} catch (error) {
			this.#log.error(`recorded sessions cannot be searched: ${errorText(error)}`);
		}
		return this.#archive;
	}

	/** Completes an erasure that a killed process began; the index is rebuilt later. */
	#completeErasure(archive: Archive, indexFile: string): void {
		archive.scrub();
		removeIndex(indexFile);
		this.#erasure.clear();
		this.#log.info('completed an erasure that was interrupted');
	}

	/** The index; fails with `StorageFailed` if it cannot be opened. */
	#openIndex(): SearchIndex {
		this.#openArchive();
		if (this.#index !== undefined) return this.#index;
		throw new Failure('StorageFailed', 'recorded sessions cannot be searched: see the log of the daemon');
	}

	#recall(params: RecordingSearch): RecallResult {
		const archive = this.#openArchive();
		if (!this.#settings.recording && archive.count === 0) {
			throw new Failure(
				'SessionNotFound',
				'no session is recorded: recording is off, and "contextd record on" starts it',
			);
		}
		return recallRecorded(archive, this.#openIndex(), this.#follower?.unread ?? [], params);
	}

	#messages({ recordingId, ...params }: RecorderMessagesParams): RecorderMessagesResult {
		const recording = this.#recording(recordingId);
		const messages = readMessages(this.#openIndex(), { ...params, recordingId: recording.recordingId });
		return { session: sessionOf(recording), messages };
	}

	#status(): RecorderStatus {
		const { environment: _, ...settings } = this.#settings;
		// Asking for the status creates no archive.
		const archive = existsSync(this.#file) ? this.#openArchive() : undefined;
		return {
			...settings,
			folder: this.#start.folder,
			recordings: archive?.count ?? 0,
			bytes: archive?.usedBytes() ?? 0,
			...withoutUndefined({
				problem: this.#space?.problem,
				watchRefusal: this.#follower?.watchRefusal,
				unread: this.#follower?.unread.length || undefined,
			}),
		};
	}

	/** Applies and stores changes; folders of agents are those of the client that starts the recorder. */
	async #set({ environment = {}, ...changes }: RecorderSetParams & ClientVariables): Promise<RecorderStatus> {
		const folders = changes.recording ? { environment: agentVariables(environment) } : {};
		this.#settings = { ...this.#settings, ...withoutUndefined(changes), ...folders };
		writeRecorderSettings(this.#start.folder, this.#settings);
		this.#recordingChanged(this.#settings.recording);
		await this.#stopFollowing();
		this.start();
		this.#space?.check(this.#settings);
		return this.#status();
	}

	#sessions({
		parent: name,
		limit = defaultSessionLimit,
		...filter
	}: RecorderSessionsFilter): RecordedSession[] {
		const archive = this.#openArchive();
		// A session without an id of its own has no sub-agents.
		const parent = name === undefined ? null : (this.#recording(name).sessionId ?? '');
		return archive.recordings({ ...filter, parent, limit }).map(sessionOf);
	}

	#pin(name: string, pinned: boolean): RecordedSession {
		const family = this.#familyOf(this.#recording(name));
		for (const { recordingId } of family) this.#openArchive().pin(recordingId, pinned);
		return sessionOf(this.#recording(family[0].recordingId));
	}

	/** Returns a recording, then those of all its direct and indirect sub-agents. */
	#familyOf(recording: Recording): [Recording, ...Recording[]] {
		const family: [Recording, ...Recording[]] = [recording];
		for (const { agent, sessionId } of family) {
			if (sessionId === undefined) continue;
			const children = this.#openArchive().recordings({ agent, parent: sessionId });
			// A damaged transcript may name itself or its child as its parent.
			const isNew = (one: Recording) => family.every(({ recordingId }) => recordingId !== one.recordingId);
			family.push(...children.filter(isNew));
		}
		return family;
	}

	/**
	 * Records everything that exists before it forgets, unless the recording is known. A transcript that is recorded
	 * afterwards would bring the text or the session back.
	 */
	async #forgetAll(params: RecorderForgetParams): Promise<ErasedRecords> {
		const { recordingId } = params;
		const isRecorded = recordingId !== undefined && this.#openArchive().recording(recordingId) !== undefined;
		if (!isRecorded) {
			await this.#follower?.readAgain();
			await this.caughtUp();
		}
		return params.dryRun ? this.#forget(params) : this.#erase(params);
	}

	/** Erases from the archive, then from the index. If the process is killed in between, the next one erases the rest. */
	async #erase(params: RecorderForgetParams): Promise<ErasedRecords> {
		this.#openArchive();
		this.#erasure.set();
		const erased = await this.#forget(params);
		if (await this.#index?.erased()) this.#erasure.clear();
		return erased;
	}

	async #forget({ recordingId, containing = '', dryRun }: RecorderForgetParams): Promise<ErasedRecords> {
		const archive = this.#openArchive();
		if (recordingId !== undefined) {
			const family = this.#familyOf(this.#recording(recordingId));
			const outputs = dryRun ? family.flatMap((one) => this.#outputsIn(one)) : [];
			// Sub-agents first: if this process is killed, the user can still name the session to erase the rest.
			if (!dryRun) for (const one of family.toReversed()) archive.forget(one.recordingId);
			const entries = family.reduce((sum, one) => sum + one.entries, 0);
			return { sessions: family.map(sessionOf), entries, outputs };
		}
		const found = await this.#recordingsContaining(archive, containing);
		for (const { recordingId, seqs, hasTextInTitle } of dryRun ? [] : found) {
			if (seqs.length > 0) archive.forgetEntries(recordingId, seqs);
			if (hasTextInTitle) archive.updateInfo(recordingId, { title: '' });
		}
		if (!dryRun && found.length > 0) archive.scrub();
		return {
			sessions: found.map(({ session }) => session),
			entries: found.reduce((sum, { seqs }) => sum + seqs.length, 0),
			outputs: [],
		};
	}

	async #recordingsContaining(archive: Archive, containing: string): Promise<RecordingWithText[]> {
		const found: RecordingWithText[] = [];
		const forms = storedForms(containing).map((form) => form.toString());
		for (const recording of archive.recordings()) {
			const seqs = await this.#entriesContaining(archive, recording, forms);
			const { recordingId, title = '' } = recording;
			const hasTextInTitle = title.includes(containing) || (seqs.length > 0 && mayReveal(title, containing));
			if (seqs.length > 0 || hasTextInTitle) {
				found.push({ recordingId, session: sessionOf(recording), seqs, hasTextInTitle });
			}
		}
		// Another call may have forgotten some meanwhile.
		return found.filter(({ recordingId }) => archive.recording(recordingId)?.recordingId === recordingId);
	}

	/** Reads in slices, since other calls must be answered meanwhile. */
	async #entriesContaining(
		archive: Archive,
		{ recordingId }: Recording,
		forms: readonly string[],
	): Promise<number[]> {
		const seqs: number[] = [];
		for (let from = 0; ; ) {
			await pauseForOthers();
			if (this.#archive !== archive) throw new Failure('StorageFailed', 'the daemon is ending');
			// Another call may have forgotten it.
			if (archive.recording(recordingId)?.recordingId !== recordingId) return [];
			const until = performance.now() + sliceMs;
			let isComplete = true;
			for (const { seq, text } of archive.entries(recordingId, from)) {
				if (forms.some((form) => text.includes(form))) seqs.push(seq);
				from = seq + 1;
				if (performance.now() < until) continue;
				isComplete = false;
				break;
			}
			if (isComplete) return seqs;
		}
	}

	/** The names of saved outputs that the shortened results of a session mention. */
	#outputsIn({ recordingId }: Recording): string[] {
		const names = new Set<string>();
		for (const { text } of this.#openArchive().entries(recordingId)) {
			for (const [name] of text.matchAll(savedOutputName)) names.add(name);
		}
		return [...names];
	}

	#read({ recording: name, fromSeq = 0 }: ReadRecordingParams): ReadRecordingResult {
		const recording = this.#recording(name);
		const entries: ReadRecordingResult['entries'] = [];
		let units = 0;
		for (const entry of this.#openArchive().entries(recording.recordingId, fromSeq)) {
			entries.push(entry);
			units += entry.text.length;
			if (units >= maxPageUnits) break;
		}
		return { recording: sessionOf(recording), entries };
	}

	#recording(name: string): Recording {
		const recording = this.#openArchive().recording(name);
		if (recording === undefined) throw new Failure('SessionNotFound', `no recording "${name}"`, { name });
		return recording;
	}
}

/** A recording that contains a text. */
interface RecordingWithText {
	recordingId: string;
	session: RecordedSession;
	/** The entries with the text. */
	seqs: number[];
	/** Whether its title contains a part of the text. */
	hasTextInTitle: boolean;
}

/** The environment of the client that calls. */
interface ClientVariables {
	environment?: Readonly<Record<string, string | undefined>>;
}

/** Milliseconds of a slice of a long search, after which other calls are answered. */
const sliceMs = 20;

/** Which sessions to list. */
type RecorderSessionsFilter = Omit<RecorderSessionsParams, 'workspace'> & { folder?: string };

/** Milliseconds between two checks of the limits. */
const checkMs = 60_000;
/** UTF-16 units after which a page of entries ends. */
const maxPageUnits = 1 << 20;

/** Recordings that are listed if the caller sets no limit. */
const defaultSessionLimit = 100;

/** Whether a title may contain a part of a text, since titles are truncated beginnings of messages. */
function mayReveal(title: string, text: string): boolean {
	return title.split(/[\s…]+/).some((word) => word.length >= minRevealingChars && text.includes(word));
}

/** Minimum characters of a word by which a title reveals a text. */
const minRevealingChars = 4;

function sessionOf({ generation: _, nextSeq: __, title, ...recording }: Recording): RecordedSession {
	// An empty title is one that the user erased.
	return { ...recording, ...(title !== '' && withoutUndefined({ title })) };
}
