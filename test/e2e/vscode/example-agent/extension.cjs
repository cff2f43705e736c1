/**
 * An agent extension, reduced to what concerns its context. Its model is a script. Everything else is as in a real one:
 * it opens a session, appends what happens, prepares before each call of the model, and recovers after an overflow.
 */

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');
const { answerOf, ContextOverflow } = require('./model.cjs');

const contextWindow = 48_000;
const maxOutputTokens = 8_000;
const systemPrompt =
	'You are a careful programmer. Read before you write, and run the tests after each change.';
const toolDefinitions = [
	{
		name: 'read_file',
		description: 'Reads a file of the workspace.',
		input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
	},
	{
		name: 'run_tests',
		description: 'Runs the tests and gives their output.',
		input_schema: { type: 'object', properties: { pattern: { type: 'string' } } },
	},
];

let session;
let answered = 0;
let item;

async function openSession() {
	const extension = vscode.extensions.getExtension('contextd.contextd-vscode');
	const { getApi } = await extension.activate();
	session = await getApi(1).openSession({
		title: 'Fix the date parser',
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		contextWindow,
		maxOutputTokens,
	});
	await session.update({ request: { systemPrompt, toolDefinitions } });
	return session;
}

async function runTool({ name, args }) {
	if (name !== 'read_file') return answerOf.testRun(args.pattern);
	const [folder] = vscode.workspace.workspaceFolders;
	const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder.uri, args.path));
	return Buffer.from(bytes).toString('utf8');
}

/** Calls the model; after a context overflow, compacts and calls it again. */
async function callModel() {
	const { messages } = await session.prepare();
	try {
		return answerOf.model(messages, contextWindow);
	} catch (error) {
		if (!(error instanceof ContextOverflow)) throw error;
		const { isContextOverflow, messages: shorter } = await session.recover(error);
		if (!isContextOverflow || !shorter) throw error;
		return answerOf.model(shorter, contextWindow);
	}
}

/** Answers one question, tools included. */
async function ask(question) {
	session ??= await openSession();
	item.text = '$(loading~spin) Agent';
	await session.append([{ role: 'user', content: question }]);
	for (;;) {
		const answer = await callModel();
		await session.append([answer]);
		if (!answer.toolCalls) {
			answered++;
			item.text = `Agent: ${answered} answered`;
			return answer.content;
		}
		for (const call of answer.toolCalls) {
			const content = await runTool(call);
			await session.append([{ role: 'tool', toolCallId: call.id, toolName: call.name, content }]);
		}
	}
}

exports.activate = (context) => {
	item = vscode.window.createStatusBarItem('state', vscode.StatusBarAlignment.Right, 80);
	item.text = 'Agent';
	item.show();
	context.subscriptions.push(
		item,
		vscode.commands.registerCommand('exampleAgent.ask', (question = 'Why does the date parser fail?') =>
			ask(question),
		),
		vscode.commands.registerCommand('exampleAgent.askLater', () => {
			const [folder] = vscode.workspace.workspaceFolders;
			const waiting = setInterval(() => {
				if (!existsSync(join(folder.uri.fsPath, 'ask'))) return;
				clearInterval(waiting);
				void ask('Does the parser take week dates?');
			}, 200);
		}),
		vscode.commands.registerCommand('exampleAgent.work', async (turns = 6) => {
			for (let turn = 0; turn < turns; turn++) await ask(answerOf.question(turn));
		}),
	);
	return { ask, session: () => session };
};
