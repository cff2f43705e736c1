import { readFileSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contextReport } from '../../../server/protocol/report.ts';
import { sessionNewest } from '../../../server/protocol/session.ts';
import { claudeSession } from '../../e2e/vscode/transcript.ts';
import { type App, type AppSetup, freshFolder, startingApps, testServices } from '../../support/app.ts';
import { framed } from '../../support/client.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';

const apps = startingApps();

/** Returns a home with a session of Claude Code in a workspace, and a daemon whose client has opened that workspace. */
async function withTranscript(setup: AppSetup = {}) {
	const home = { base: freshFolder(), workspace: freshFolder() };
	const transcript = claudeSession(home, 'first');
	for (let turn = 1; turn <= 20; turn++) transcript.turn('Explain the parser.', 5_000 * turn);
	const app = await apps.start({ ...setup, userHome: home.base, initialize: opened(home.workspace, setup) });
	return { ...home, app, transcript };
}

function opened(folder: string, { initialize }: AppSetup) {
	return { workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }], ...initialize };
}

/** Runs a command without arguments and returns the message that the editor shows. */
async function messageOf(app: App, command: string): Promise<unknown> {
	const earlierCount = app.inbox.length;
	const { result, error } = await app.start('workspace/executeCommand', { command }).reply;
	expect([result, error]).toEqual([null, undefined]);
	return app.inbox.slice(earlierCount).find(({ method }) => method === 'window/showMessage')?.params;
}

const inFuture = new Date(Date.now() + 3_600_000);

describe('session/newest', () => {
	it('finds the newest of stored sessions and transcripts, in the folders of the client', async () => {
		const { app, transcript, workspace } = await withTranscript();
		expect(await app.ask(sessionNewest, {})).toMatchObject({
			session: {
				title: 'Explain the parser.',
				mirror: { label: 'Claude Code', transcript: transcript.path },
			},
		});
		await begin(app, 'stored', conversation(4), { workspace: pathToFileURL(workspace).href });
		expect(await app.ask(sessionNewest, {})).toEqual({
			session: { sessionId: 'stored', updatedAt: expect.any(Number) },
		});
		utimesSync(transcript.path, inFuture, inFuture);
		const { session } = await app.ask(sessionNewest, { workspace });
		expect(session?.mirror?.transcript).toBe(transcript.path);
	});

	it('finds only sessions of the named agents', async () => {
		const { app, transcript, workspace } = await withTranscript();
		await begin(app, 'stored', conversation(4), { workspace: pathToFileURL(workspace).href });
		const { session } = await app.ask(sessionNewest, { agents: ['codex', 'claude-code'] });
		expect(session?.mirror?.transcript).toBe(transcript.path);
		expect(await app.ask(sessionNewest, { agents: ['codex'] })).toEqual({ session: null });
	});

	it('follows the transcript that it finds', async () => {
		const { app, transcript } = await withTranscript();
		const { session } = await app.ask(sessionNewest, {});
		transcript.turn('And the lexer?', 101_000);
		await app.ask(sessionNewest, {});
		expect((await statsIn(app, session?.sessionId ?? '')).messageCount).toBe(42);
	});

	it("returns a plugin's own session, which is no mirror", async () => {
		const { app } = await withTranscript();
		await begin(app, 'claude:first', conversation(4));
		const { session } = await app.ask(sessionNewest, {});
		expect(session).toEqual({
			sessionId: 'claude:first',
			title: 'Explain the parser.',
			updatedAt: expect.any(Number),
		});
	});

	it("searches the client's working folder if it has opened none", async () => {
		const { base, workspace, transcript } = await withTranscript();
		const app = await apps.start({ userHome: base, cwd: workspace });
		expect((await app.ask(sessionNewest, {})).session?.mirror?.transcript).toBe(transcript.path);
		const elsewhere = await apps.start({ userHome: base, cwd: freshFolder() });
		expect(await elsewhere.ask(sessionNewest, {})).toEqual({ session: null });
	});

	it('refuses a workspace that is no folder of this machine', async () => {
		const app = await apps.start();
		const { message } = await app.refusal('session/newest', { workspace: 'untitled:1' });
		expect(message).toContain('workspace: expected a file URI or an absolute path, got "untitled:1"');
	});
});

describe('context/report', () => {
	it('describes the usage in lines of at most the asked columns', async () => {
		const app = await apps.start();
		await begin(app, 's', conversation(20, 400));
		const { text } = await app.ask(contextReport, { sessionId: 's', columns: 40 });
		expect(text).toMatch(/% healthy\n[\s\S]*\nWhat fills it\n[\s\S]*\nLargest messages\n/);
		expect(Math.max(...text.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(40);
	});

	it('describes what a compaction would do, and changes nothing', async () => {
		const app = await apps.start();
		await begin(app, 's', conversation(60, 2_000));
		const before = await historyIn(app, 's');
		const report = await app.ask(contextReport, { sessionId: 's', about: 'compaction' });
		expect(report.wouldCompact).toBe(true);
		expect(report.text).toMatch(/^Freed [\d,]+ tokens[\s\S]*\nWhat changed\n/);
		expect(report.text).not.toMatch(/-o OUT|--json/);
		expect(await historyIn(app, 's')).toEqual(before);
	});

	it('says that a session has no messages', async () => {
		const app = await apps.start();
		await begin(app, 's');
		const text = 'The session has no messages yet.\n';
		expect(await app.ask(contextReport, { sessionId: 's' })).toEqual({ text });
		const about = 'compaction';
		expect(await app.ask(contextReport, { sessionId: 's', about })).toEqual({ text, wouldCompact: false });
	});
});

describe('commands without arguments', () => {
	it('contextd.showUsage says how full the newest session is, and opens a private text with all of it', async () => {
		const initialize = { capabilities: { window: { showDocument: { support: true } } } };
		const { app } = await withTranscript({ home: freshFolder(), initialize });
		expect(await messageOf(app, 'contextd.showUsage')).toEqual({
			type: 3,
			message: expect.stringMatching(
				/^\d+% full: [\d.]+k of \d+k tokens, \d+k left; mostly .* · "Explain the parser\."$/,
			),
		});
		const { uri } = (await app.awaitNotification('window/showDocument')) as { uri: string };
		const path = fileURLToPath(uri);
		expect(path).toMatch(/[\\/]outputs[\\/]context-usage-[\w-]+\.txt$/);
		if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(readFileSync(path, 'utf8')).toMatch(/^"Explain the parser\."\n\n[\s\S]*\nWhat fills it\n/);
	});

	it('contextd.showUsage opens no document if the editor cannot, or if nothing is stored', async () => {
		const plain = await withTranscript({ home: freshFolder() });
		const initialize = { capabilities: { window: { showDocument: { support: true } } } };
		const inMemory = await withTranscript({ initialize });
		for (const { app } of [plain, inMemory]) {
			await messageOf(app, 'contextd.showUsage');
			await app.start('session/list', {}).reply;
			expect(app.inbox.map(({ method }) => method)).not.toContain('window/showDocument');
		}
	});

	it('contextd.showUsage logs why the editor did not open the document', async () => {
		const initialize = { capabilities: { window: { showDocument: { support: true } } } };
		const { app } = await withTranscript({ home: freshFolder(), initialize });
		await messageOf(app, 'contextd.showUsage');
		await app.awaitNotification('window/showDocument');
		const { id } = app.inbox.find(({ method }) => method === 'window/showDocument') ?? {};
		const error = { code: -32603, message: 'no window' };
		app.write(framed(JSON.stringify({ jsonrpc: '2.0', id, error }), 'content-length'));
		await app.awaitNotification('window/logMessage', ({ message }: { message: string }) =>
			message.includes('cannot show the usage: no window'),
		);
	});

	it('contextd.compactNewest compacts a stored session, and contextd.undoNewest undoes it', async () => {
		const workspace = freshFolder();
		const app = await apps.start({ userHome: freshFolder(), cwd: workspace });
		const messages = conversation(60, 2_000);
		await begin(app, 's', messages, { workspace: pathToFileURL(workspace).href, title: 'Parser\u001b[31m' });
		const before = await historyIn(app, 's');
		expect(await messageOf(app, 'contextd.compactNewest')).toEqual({
			type: 3,
			message: expect.stringMatching(
				/^Compacted "Parser \[31m" from [\d.]+k to [\d.]+k tokens\. The command contextd\.undoNewest undoes it\.$/,
			),
		});
		expect((await historyIn(app, 's')).length).toBeLessThan(before.length);
		expect(await messageOf(app, 'contextd.undoNewest')).toEqual({
			type: 3,
			message: expect.stringMatching(/^Undid the newest compaction\. Now \d+% full: .* · "Parser \[31m"$/),
		});
		expect(await historyIn(app, 's')).toEqual(before);
		expect(await messageOf(app, 'contextd.undoNewest')).toEqual({
			type: 3,
			message: 'There is nothing to undo in "Parser [31m".',
		});
	});

	it("contextd.compactNewest changes nothing in an agent's own session, and says what to run", async () => {
		const { app, transcript } = await withTranscript();
		expect(await messageOf(app, 'contextd.compactNewest')).toEqual({
			type: 3,
			message: expect.stringMatching(
				/^Only Claude Code can change this session\. For a compacted copy run "contextd export -f claude-code --place"\. To let contextd compact new sessions run "contextd install claude"\. \(nothing was changed; a compaction would free [\d.]+k tokens\)$/,
			),
		});
		const { session } = await app.ask(sessionNewest, {});
		expect((await statsIn(app, session?.sessionId ?? '')).lastCompaction).toBeUndefined();
		expect(session?.mirror?.transcript).toBe(transcript.path);
		expect(await messageOf(app, 'contextd.undoNewest')).toEqual({
			type: 3,
			message:
				'contextd has nothing to undo in "Explain the parser.": only Claude Code can change this session.',
		});
	});

	it.each(['contextd.showUsage', 'contextd.compactNewest', 'contextd.undoNewest'])(
		'%s says that no agent has worked in the folder, or that the session is empty',
		async (command) => {
			const workspace = freshFolder();
			const app = await apps.start({ userHome: freshFolder(), cwd: workspace });
			expect(await messageOf(app, command)).toEqual({
				type: 3,
				message: 'No agent has worked in this folder yet, so there is no context to measure or compact.',
			});
			await begin(app, 's', [], { workspace: pathToFileURL(workspace).href });
			const empty = /^(?:The newest session has no messages yet\.|There is nothing to undo in "s"\.)$/;
			expect(await messageOf(app, command)).toEqual({ type: 3, message: expect.stringMatching(empty) });
		},
	);

	it('shows the error of a command, and answers with it', async () => {
		const [stateFolder, workspace] = [freshFolder(), freshFolder()];
		const writer = await apps.start({ home: stateFolder });
		await begin(writer, 's', conversation(60, 2_000), { workspace: pathToFileURL(workspace).href });
		const services = testServices({ stateFolder, findOtherOwner: async () => 'process 7 has it' });
		const app = await apps.start({ home: stateFolder, services, userHome: freshFolder(), cwd: workspace });
		const { error } = await app.start('workspace/executeCommand', { command: 'contextd.compactNewest' })
			.reply;
		expect(error?.data?.kind).toBe('SessionLocked');
		const message = `contextd: ${error?.message}`;
		expect(await app.awaitNotification('window/showMessage')).toEqual({ type: 1, message });
	});
});
