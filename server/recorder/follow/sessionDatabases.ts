import { agents } from '../../core/transcript/agents.ts';
import type { Agent } from '../../core/transcript/reading/agent.ts';
import type { DatabaseHome } from '../../core/transcript/reading/home.ts';
import { queryDatabase } from '../../node/transcript/database.ts';
import type { AgentEnvironment } from '../../node/transcript/discover/agentEnvironment.ts';
import { databasesIn } from '../../node/transcript/discover/walk.ts';
import { databasePath } from '../../node/transcript/sessionDatabase.ts';
import type { RecordingInfo } from '../archive/recording.ts';
import { fileStampOf } from './stamp.ts';

/** A session whose row in a database is new or has changed. */
export interface ChangedSession {
	info: RecordingInfo;
	/** Milliseconds since the epoch. */
	updatedAt: number;
}

/** A database takes at most this share of the time to look at. */
const lookShare = 1 / 50;
const minLookMs = 800;

/** The databases in which agents keep sessions. */
export class SessionDatabases {
	readonly #around: AgentEnvironment;
	/** When each session was changed last, by its path. */
	readonly #updated = new Map<string, number>();
	/** Size and time of each database and its log. */
	readonly #states = new Map<string, string>();
	#nextLookAt = 0;

	constructor(around: AgentEnvironment) {
		this.#around = around;
	}

	/** Lets the next call of `changed` look, however early it is. */
	lookAgain(): void {
		this.#nextLookAt = 0;
	}

	/** The sessions that changed since the last look; none if it is too early for another. */
	async changed(): Promise<ChangedSession[]> {
		const start = performance.now();
		if (start < this.#nextLookAt) return [];
		try {
			const found: ChangedSession[] = [];
			for (const agent of agents) {
				for (const home of agent.databases ?? []) {
					for (const file of await databasesIn(home, this.#around))
						found.push(...(await this.#in(file, agent, home)));
				}
			}
			return found;
		} finally {
			const now = performance.now();
			this.#nextLookAt = now + Math.max(minLookMs, (now - start) / lookShare);
		}
	}

	async #in(
		file: string,
		{ name, label }: Agent,
		{ sessions, hasParents }: DatabaseHome,
	): Promise<ChangedSession[]> {
		const state = `${fileStampOf(file)} ${fileStampOf(`${file}-wal`)}`;
		if (fileStampOf(file) === '' || this.#states.get(file) === state) return [];
		const columns = `id, title, folder, updated${hasParents ? ', parent' : ''}`;
		const rows = await queryDatabase(file, `select ${columns} from (${sessions})`);
		this.#states.set(file, state);
		return rows.flatMap(({ id, title, folder, updated, parent }): ChangedSession[] => {
			const path = databasePath(file, String(id));
			const updatedAt = Number(updated);
			if (this.#updated.get(path) === updatedAt) return [];
			this.#updated.set(path, updatedAt);
			const info = { agent: name, label, path, sessionId: String(id), startedAt: updatedAt };
			const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
			const known = { title: text(title), folder: text(folder), parent: text(parent) };
			return [{ info: { ...info, ...known }, updatedAt }];
		});
	}
}
