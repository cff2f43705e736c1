/** Runs inside the extension host: the editor calls `run` and treats a rejection as a failure. */

const assert = require('node:assert/strict');
const { setTimeout: wait } = require('node:timers/promises');
const vscode = require('vscode');

const messages = Array.from({ length: 24 }, (_, index) => ({
	role: index % 2 ? 'assistant' : 'user',
	content: `Message ${index}. ${'The parser reads a date and gives its parts. '.repeat(60)}`,
}));

async function until(what, limit = 45_000) {
	const end = Date.now() + limit;
	for (;;) {
		const result = await what();
		if (result) return result;
		if (Date.now() > end) throw new Error(`not within ${limit} ms: ${what}`);
		await wait(50);
	}
}

async function activated() {
	const extension = vscode.extensions.getExtension('contextd.contextd-vscode');
	assert.ok(extension, 'the extension is there');
	return extension.activate();
}

let api;

/** Prints a line that the outer test finds in the output of the workbench. */
function say(text) {
	console.log(`test: ${text}`);
}

const tests = {
	async 'gives its API out by version'() {
		const { getApi } = await activated();
		api = getApi(1);
		assert.equal(api.version, 1);
		assert.throws(() => getApi(2), /version 1/);
	},

	async 'registers every command that it declares'() {
		const declared =
			vscode.extensions.getExtension('contextd.contextd-vscode').packageJSON.contributes.commands;
		const known = new Set(await vscode.commands.getCommands(true));
		for (const { command } of declared) assert.ok(known.has(command), command);
	},

	async 'runs a session: append, measure, compact, undo'() {
		const session = await api.openSession({ model: 'gpt-5', contextWindow: 16_000, maxOutputTokens: 2_000 });
		const changes = [];
		const compactions = [];
		session.onDidChange((stats) => changes.push(stats));
		session.onDidCompact((result) => compactions.push(result));
		const { messageIds } = await session.append(messages);
		assert.equal(messageIds.length, messages.length);
		const before = await session.stats();
		const result = await session.compact();
		assert.equal(result.outcome, 'compacted');
		assert.ok(result.tokensAfter < result.tokensBefore);
		const { undone } = await session.undo();
		assert.deepEqual(undone, [result.compactionId]);
		assert.equal((await session.stats()).messageCount, before.messageCount);
		await until(() => changes.length > 0 && compactions.length > 0);
		session.dispose();
	},

	async 'reports the session in the meter, and its changes'() {
		const reported = [];
		const watching = api.onDidChangeCurrentSession((current) => reported.push(current));
		const session = await api.openSession({ model: 'gpt-5', contextWindow: 16_000, title: 'In the meter' });
		await session.append(messages.slice(0, 4));
		const { sessionId } = session;
		const seen = await until(() =>
			reported.find((one) => one?.sessionId === sessionId && one.percent !== null),
		);
		assert.match(seen.percent, /^~?\d+%$/);
		assert.equal(seen.stats.messageCount, 4);
		assert.equal(api.currentSession.sessionId, sessionId);
		watching.dispose();
		session.dispose();
	},

	async 'prepares a request, and recovers one that was too long'() {
		const options = { provider: 'anthropic', model: 'claude-sonnet-4-5', maxOutputTokens: 2_000 };
		const session = await api.openSession({ ...options, contextWindow: 16_000 });
		await session.append(messages);
		const { messages: prepared, compaction } = await session.prepare({ format: 'anthropic' });
		assert.equal(prepared[0].role, 'user');
		assert.ok(compaction.compacted);
		session.dispose();

		const wide = await api.openSession({ ...options, contextWindow: 200_000 });
		await wide.append(messages);
		const error = Object.assign(new Error('prompt is too long: 15000 tokens > 12000 maximum'), {
			status: 400,
		});
		const recovered = await wide.recover(error, { format: 'anthropic' });
		assert.equal(recovered.isContextOverflow, true);
		assert.ok(recovered.messages.length > 0, recovered.reason);
		wide.dispose();
	},

	async 'gives the error of the daemon'() {
		const session = await api.openSession();
		await assert.rejects(session.undo(), /./);
		await assert.rejects(session.append([{ role: 'nobody', content: '' }]), /role/);
		session.dispose();
	},

	async 'counts, truncates and classifies without a session'() {
		assert.ok((await api.count({ text: 'one two three' })).tokens >= 3);
		const cut = await api.truncateToolOutput({ output: 'line\n'.repeat(5000), maxLines: 10 });
		assert.equal(cut.truncated, true);
		assert.equal(
			(await api.classifyError(new Error('prompt is too long: 9 tokens > 8 maximum'))).isContextOverflow,
			true,
		);
	},

	async 'follows the settings as they change'() {
		const configuration = vscode.workspace.getConfiguration('contextd');
		const session = await api.openSession({ model: 'gpt-5', contextWindow: 16_000 });
		await session.append(messages.slice(0, 2));
		const threshold = async () => (await session.stats()).thresholds.compact;
		assert.equal(await threshold(), 0.8);
		await configuration.update('compaction.threshold', 0.5, vscode.ConfigurationTarget.Global);
		await until(async () => (await threshold()) === 0.5);
		await configuration.update('compaction.threshold', undefined, vscode.ConfigurationTarget.Global);
		await until(async () => (await threshold()) === 0.8);
		session.dispose();
	},

	async 'restarts the daemon, and has the sessions again'() {
		const session = await api.openSession({ model: 'gpt-5' });
		await session.append(messages.slice(0, 4));
		await vscode.commands.executeCommand('contextd.restartDaemon');
		assert.equal((await session.stats()).messageCount, 4);
		session.dispose();
	},

	async 'tells of a read whose file has changed since'() {
		const session = await api.openSession({ model: 'gpt-5' });
		const [folder] = vscode.workspace.workspaceFolders;
		const uri = vscode.Uri.joinPath(folder.uri, 'src', 'changing.ts');
		const write = (text) => vscode.workspace.fs.writeFile(uri, Buffer.from(text));
		await write('export const before = 1;\n');
		await session.append([{ role: 'user', content: 'Read it.' }]);
		const call = { id: 'call_read', name: 'read_file', args: { path: uri.fsPath } };
		await session.append([{ role: 'assistant', content: '', toolCalls: [call] }]);
		const { content } = await session.readFile(uri, { toolCallId: call.id });
		assert.match(content, /before/);
		await session.append([{ role: 'tool', toolCallId: call.id, toolName: call.name, content }]);
		await wait(500);
		await write('export const after = 2;\n');
		await until(async () => (await session.stats()).staleReads.length === 1);
		session.dispose();
	},

	async 'shows a message in full as a document'() {
		const session = await api.openSession({ model: 'gpt-5' });
		const { messageIds } = await session.append(messages.slice(0, 2));
		await until(async () => {
			await vscode.commands.executeCommand('contextd.openMessage', messageIds[1]);
			return vscode.window.activeTextEditor?.document.getText() === messages[1].content;
		});
		session.dispose();
	},

	async 'lets language models read the usage and search the session'() {
		if (typeof vscode.lm?.invokeTool !== 'function') {
			say('this editor has no language model tools: left out');
			return;
		}
		const { packageJSON } = vscode.extensions.getExtension('contextd.contextd-vscode');
		const session = await api.openSession({ title: 'Zebra crossings', model: 'gpt-5' });
		const { messageIds } = await session.append([
			{ role: 'user', content: 'Where do zebras cross the road?' },
			{ role: 'assistant', content: 'More about stripes. '.repeat(2000) },
		]);
		for (const { name } of packageJSON.contributes.languageModelTools)
			await until(() => vscode.lm.tools.some((tool) => tool.name === name));
		const ask = async (name, input) => {
			const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
			return content.map(({ value }) => value).join('\n');
		};
		const usage = await until(async () => {
			const text = await ask('contextd_usage', {});
			return text.startsWith('Zebra crossings') ? text : null;
		});
		assert.match(usage, /Context ~?\d*<?\d+% · .* tokens[\s\S]*The window by category:\n- Messages: /);
		const found = await ask('contextd_recall', { query: 'ZEBRAS cross' });
		assert.match(found, /found in 1 of 2 messages/);
		assert.ok(found.includes(`[${messageIds[0]}] User · in the window`), found);
		const part = await ask('contextd_recall', { query: messageIds[1] });
		assert.match(part.slice(-100), /To read on, call this tool with offset 20000\.$/);
		const rest = await ask('contextd_recall', { query: messageIds[1], offset: 39_985 });
		assert.equal(rest, 'about stripes. ');
		await assert.rejects(ask('contextd_recall', { query: '  ' }), /Expected "query" to be words/);
		session.dispose();
	},

	async 'lets a model of the editor write the summary, where the user picked one'() {
		const fake = vscode.extensions.getExtension('contextd.fake-model');
		if (!vscode.lm?.registerLanguageModelChatProvider || !fake) {
			say('this editor has no providers of language models: left out');
			return;
		}
		const { seen } = await fake.activate();
		await until(async () => (await vscode.lm.selectChatModels({ vendor: 'contextd-fake' })).length > 0);
		const configuration = vscode.workspace.getConfiguration('contextd');
		const compactOnce = async () => {
			const session = await api.openSession({
				model: 'gpt-5',
				contextWindow: 16_000,
				maxOutputTokens: 2_000,
			});
			await session.append(messages);
			const result = await session.compact();
			session.dispose();
			return result;
		};
		assert.equal((await compactOnce()).summary.by, 'extract');
		assert.equal(seen.length, 0);
		await configuration.update(
			'languageModel.model',
			'contextd-fake/scribe',
			vscode.ConfigurationTarget.Global,
		);
		const { summary } = await until(async () => {
			const result = await compactOnce();
			return result.summary.by === 'extract' ? null : result;
		});
		say(`summary by ${summary.by}: ${JSON.stringify(summary.attempts)}`);
		assert.match(summary.text, /The scribe says/);
		assert.equal(seen.length, 1);
		await configuration.update('languageModel.model', undefined, vscode.ConfigurationTarget.Global);
	},
};

exports.run = async () => {
	const failures = [];
	for (const [name, test] of Object.entries(tests)) {
		try {
			await test();
			say(`ok - ${name}`);
		} catch (error) {
			failures.push(name);
			say(`not ok - ${name}\n${error.stack}`);
		}
	}
	if (failures.length > 0) throw new Error(`failed: ${failures.join(', ')}`);
};
