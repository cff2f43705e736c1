/** A home folder with an agent, the provider that it asks, and a daemon of contextd that observes the agent. */

import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextDiscover, contextImport, type Transcript } from '../../server/protocol/transcript.ts';
import { startDaemon } from '../support/daemon.ts';
import { removeFolder } from '../support/removeFolder.ts';
import type { AgentSetup, RealAgent } from './agents.ts';
import { converse } from './conversation.ts';
import type { Installed } from './install.ts';
import type { ModelRequest } from './mock/request.ts';
import { type MockProvider, startMock } from './mock/server.ts';
import { work } from './run.ts';

const prompt = 'Please read the documents.';

/** A working agent, and contextd's observations of it. */
export interface AgentSession {
	home: string;
	project: string;
	mock: MockProvider;
	/** Lets the agent read documents with these numbers of characters in one turn. A list is read at once. */
	turn(lengths: readonly (number | readonly number[])[]): Promise<void>;
	/** Lets the next turn begin another session. */
	beginAnother(): void;
	/** Returns the transcripts found for the project. */
	found(): Promise<Transcript[]>;
	/** Returns the transcripts once they match; the last ones on a timeout. */
	foundOnce(fits: (found: readonly Transcript[]) => boolean): Promise<Transcript[]>;
	/** Returns the figures of the agent's newest transcript, and follows it; null if there is none yet. */
	stats(): Promise<ContextStats | null>;
	/** Returns the figures once they match; the last ones on a timeout. */
	statsOnce(fits: (stats: ContextStats) => boolean): Promise<ContextStats | null>;
	end(): Promise<void>;
}

/** Options of a session. */
export interface SessionOptions {
	/** The approximate tokens at which the agent should compact by itself. */
	compactsNear?: number;
	/** Called with each request before it is answered. */
	asked?(request: ModelRequest): Promise<void>;
	/** Whether one process of the agent should take all turns, if it can, instead of continuing the stored session. */
	isOneProcess?: boolean;
}

/** Milliseconds within which a change must be visible. */
const visibleMs = 60_000;

/**
 * Sets an agent up in a separate home.
 */
export async function startSession(
	agent: RealAgent,
	installed: Installed,
	{ compactsNear, asked, isOneProcess }: SessionOptions = {},
): Promise<AgentSession> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-agent-'));
	const project = join(home, 'project');
	await mkdir(project);
	const mock = await startMock(asked);
	const setup: AgentSetup = { home, project, url: mock.url, compactsNear };
	await agent.setUp(setup);
	const daemon = await startDaemon({ environment: { HOME: home } });
	const workspace = pathToFileURL(project).href;
	const conversation =
		isOneProcess && agent.conversationArgs ? await converse(agent, installed, setup) : undefined;
	let documents = 0;
	let isContinued = false;
	let sessionId: string | undefined;

	const fileOf = (no: number) => join(project, `document${no}.txt`);
	const found = async () => (await daemon.ask(contextDiscover, { workspace })).transcripts;
	const foundOnce = (fits: (transcripts: readonly Transcript[]) => boolean) => lookUntil(found, fits);
	const stats = async () => {
		if (sessionId === undefined) {
			const path = (await found())[0]?.path;
			if (path === undefined) return null;
			({ sessionId } = await daemon.ask(contextImport, { path, follow: true }));
		}
		return daemon.ask(contextStats, { sessionId });
	};
	return {
		home,
		project,
		mock,
		found,
		foundOnce,
		stats,
		async turn(lengths) {
			const steps = lengths.map((step) => [step].flat().map((length) => ({ no: ++documents, length })));
			for (const { no, length } of steps.flat()) await writeFile(fileOf(no), documentText(no, length));
			mock.plan(steps.map((step) => step.map(({ no }) => fileOf(no))));
			if (conversation) await conversation.prompt(prompt);
			else await work(agent, installed, setup, prompt, isContinued);
			isContinued = true;
		},
		beginAnother() {
			isContinued = false;
		},
		statsOnce: (fits) => lookUntil(stats, (now) => now !== null && fits(now)),
		async end() {
			await conversation?.end();
			await daemon.quit();
			await mock.close();
			await removeFolder(home);
		},
	};
}

/** Repeats a query until its result matches; returns the last result on a timeout. */
export async function lookUntil<T>(look: () => Promise<T>, fits: (now: T) => boolean): Promise<T> {
	for (const begun = Date.now(); ; await setTimeout(100)) {
		const now = await look();
		if (fits(now) || Date.now() - begun > visibleMs) return now;
	}
}

function documentText(no: number, length: number): string {
	let text = '';
	for (let line = 1; text.length < length; line++) {
		const items = (no * 7919 + line * 104_729) % 9973;
		text += `${line}. The queue of document ${no} holds ${items} items, and drops those that nobody wants.\n`;
	}
	return text.slice(0, length);
}
