import { type Agent, agents, type DatabaseHome } from '../../core/transcript/index.ts';
import type { AgentEnvironment } from '../../node/transcript/agentEnvironment.ts';
import { queryDatabase } from '../../node/transcript/database.ts';
import { findDatabases } from '../../node/transcript/discover/walk.ts';
import { formatDatabasePath } from '../../node/transcript/sessionDatabase.ts';
import type { RecordingInfo } from '../archive/recording.ts';
import { readStamp } from './stamp.ts';

/** A session whose row in a database is new or has changed. */
export interface ChangedSession {
	info: RecordingInfo;
	/** When the session changed last, in milliseconds since the epoch. */
	updatedAt: number;
}

/** Maximum share of the time that is spent on reading databases. */
const maxReadShare = 1 / 50;
const minReadIntervalMs = 800;

/** Finds changed sessions in the databases of agents. */
export class SessionDatabases {
	readonly #machine: AgentEnvironment;
	/** When each session changed last, by its path. */
	readonly #updatedAt = new Map<string, number>();
	/** File state of each database and its write-ahead log, by the path of the database. */
	readonly #states = new Map<string, string>();
	#nextReadAt = 0;

	constructor(machine: AgentEnvironment) {
		this.#machine = machine;
	}

	/** Lets the next call of `readChanged` read even if it is too early. */
	readAgain(): void {
		this.#nextReadAt = 0;
	}

	/** Forgets all known sessions, so that `readChanged` returns all sessions again. */
	startOver(): void {
		this.#updatedAt.clear();
		this.#states.clear();
	}

	/** Returns the sessions that changed since the last call; none if it is too early to read again. */
	async readChanged(): Promise<ChangedSession[]> {
		const start = performance.now();
		if (start < this.#nextReadAt) return [];
		try {
			const changed: ChangedSession[] = [];
			for (const agent of agents) {
				for (const home of agent.databases ?? []) {
					for (const file of await findDatabases(home, this.#machine))
						changed.push(...(await this.#readChangedIn(file, agent, home)));
				}
			}
			return changed;
		} finally {
			const now = performance.now();
			this.#nextReadAt = now + Math.max(minReadIntervalMs, (now - start) / maxReadShare);
		}
	}

	async #readChangedIn(
		file: string,
		{ name, label }: Agent,
		{ sessionsSql, hasParents }: DatabaseHome,
	): Promise<ChangedSession[]> {
		const state = `${readStamp(file)} ${readStamp(`${file}-wal`)}`;
		if (readStamp(file) === '' || this.#states.get(file) === state) return [];
		const columns = `id, title, folder, updated${hasParents ? ', parent' : ''}`;
		const rows = await queryDatabase(file, `select ${columns} from (${sessionsSql})`);
		this.#states.set(file, state);
		return rows.flatMap(({ id, title, folder, updated, parent }): ChangedSession[] => {
			const path = formatDatabasePath(file, String(id));
			const updatedAt = Number(updated);
			if (this.#updatedAt.get(path) === updatedAt) return [];
			this.#updatedAt.set(path, updatedAt);
			const info = { agent: name, label, path, sessionId: String(id), startedAt: updatedAt };
			const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
			const fields = { title: text(title), folder: text(folder), parent: text(parent) };
			return [{ info: { ...info, ...fields }, updatedAt }];
		});
	}
}
