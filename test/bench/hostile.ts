/**
 * Sends a daemon, as it was built, requests of every method of the contract: sound, odd, cancelled, many at once; kills
 * it, damages its journals, and looks at what it answers. `npm run bench -- hostile`, then the number of requests and a
 * seed. Prints what it found; ends with 1 where that is anything.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyParams, type KnownThings, misfit, oddValues, type Schema } from '../support/anyParams.ts';
import { type Client, createClient, type Wire } from '../support/client.ts';
import { randomFrom } from '../support/generatedText.ts';

interface Message {
	kind: 'request' | 'notification';
	direction: string;
	errors?: string[];
	params: Schema;
	result?: Schema;
}

const [count = '200000', seedGiven] = process.argv.slice(2);
const seed = Number(seedGiven ?? Date.now() % 1_000_000);
const requests = Number(count);
console.log(`${requests} requests, seed ${seed}`);

const contract = JSON.parse(readFileSync('docs/protocol.schema.json', 'utf8')) as {
	messages: Record<string, Message>;
	definitions: Record<string, Schema>;
};
/** The life of the daemon is in the hands of this program. */
const own = [
	'initialize',
	'initialized',
	'shutdown',
	'exit',
	'$/cancelRequest',
	'workspace/didChangeConfiguration',
];
const messages = Object.entries(contract.messages).filter(
	([method, { direction }]) => direction === 'to the daemon' && !own.includes(method),
);

const whole = randomFrom(seed);
const random = (): number => whole(2 ** 30) / 2 ** 30;
const { made, spoiled } = anyParams(contract.definitions, random);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const folder = mkdtempSync(join(tmpdir(), 'contextd-hostile-'));
const workspace = join(folder, 'work');
const home = join(folder, 'state');
mkdirSync(join(workspace, 'src'), { recursive: true });
for (const name of ['a.ts', 'b.ts']) writeFileSync(join(workspace, 'src', name), `${name}\n`.repeat(400));
symlinkSync('/etc', join(workspace, 'away'));
const transcript = join(workspace, 'session.jsonl');
writeFileSync(
	transcript,
	['user', 'assistant']
		.map(
			(role) =>
				`${JSON.stringify({ type: role, uuid: role, sessionId: 's', message: { role, content: 'Hi' } })}\n`,
		)
		.join(''),
);

const text = (): string =>
	pick(['word ', 'line\n', 'ü🎉 ', '## 10. Rules\n', 'x']).repeat(Math.floor(random() * 300));
const path = (): string =>
	pick([`${workspace}/src/a.ts`, 'src/b.ts', `${workspace}/away/passwd`, `file://${workspace}/src/a.ts`]);

function message(): unknown {
	const id = pick([undefined, `own-${Math.floor(random() * 2000)}`]);
	const call = `c${Math.floor(random() * 40)}`;
	const args = pick<unknown>([{ file_path: path() }, { command: `cat ${path()}` }, [], pick(oddValues)]);
	const usage = { input: Math.floor(random() * 150_000), output: 40 };
	return pick<unknown>([
		{ id, role: 'user', content: text() },
		{ id, role: 'assistant', content: text(), ...(random() < 0.3 && { usage }) },
		{
			id,
			role: 'assistant',
			content: '',
			toolCalls: [{ id: call, name: pick(['Read', 'Bash', 'Edit']), args }],
		},
		{ id, role: 'tool', toolCallId: call, toolName: 'Read', content: text() },
		{ role: 'assistant', content: [{ type: 'tool_use', id: call, name: 'run', input: {} }] },
		{ role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: text() }] },
		{ role: 'model', parts: [{ text: text() }] },
		{ type: 'function_call', call_id: call, name: 'run', arguments: '{}' },
		spoiled({ role: 'user', content: [{ type: 'text', text: text() }] }),
	]);
}

/** What was heard of: the newest of each kind. */
const heard = { messageId: ['m0', 'own-1'], compactionId: ['none'], checkpointId: ['none'] };

function note(list: string[], id: unknown): void {
	if (typeof id !== 'string') return;
	list.push(id);
	if (list.length > 60) list.shift();
}

function known(): KnownThings {
	return {
		sessionId: Array.from({ length: 12 }, (_, index) => `s${index}`),
		messageId: heard.messageId,
		messageIds: [heard.messageId.slice(-3)],
		preserve: [heard.messageId.slice(-2)],
		compactionId: heard.compactionId,
		checkpointId: heard.checkpointId,
		messages: [Array.from({ length: 1 + Math.floor(random() * 6) }, message)],
		uri: [path()],
		uris: [[path()]],
		path: [transcript, path()],
		workspace: [workspace, `file://${workspace}`],
		provider: ['anthropic', 'openai', 'google', 'nobody'],
		model: ['claude-sonnet-4', 'gpt-4o', 'gemini-2.5-pro', 'local'],
		error: ['prompt is too long: 250000 tokens > 200000 maximum', { status: 413 }, 'rate limit'],
		contextWindow: [4000, 32_000, 200_000],
		toolDefinitions: [[{ name: 'run', description: text(), parameters: {} }]],
		command: messages.map(([method]) => `contextd.${method.replace('/', '.')}`),
		arguments: [[{ sessionId: 's1' }]],
		readOnly: [false],
		saveDir: [workspace, join(home, 'outputs'), join(home, 'sessions'), '/etc'],
		follow: [random() < 0.1],
	};
}

const findings = new Map<string, string>();
function found(what: string, example: unknown): void {
	if (findings.has(what)) return;
	findings.set(what, JSON.stringify(example)?.slice(0, 1500) ?? '');
	console.log(`FOUND ${what}: ${findings.get(what)}`);
}

interface Daemon {
	client: Client;
	process: ChildProcess;
	exited: Promise<number | null>;
	log(): string;
}

async function start(): Promise<Daemon> {
	const child = spawn(process.execPath, ['dist/contextd.cjs', '--stdio'], {
		env: { PATH: process.env.PATH, CONTEXTD_HOME: home, HOME: folder },
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let log = '';
	child.stderr.on('data', (chunk) => {
		log = (log + chunk).slice(-20_000);
		const line =
			/^.*(?:unhandled|UnhandledPromise|failed: (?:Type|Range|Reference|Syntax|URI)Error).*$/im.exec(
				`${chunk}`,
			)?.[0];
		if (line) found(`logged: ${line.slice(25, 160)}`, `${chunk}`);
	});
	child.stdin.on('error', () => undefined);
	const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
	const client = createClient(child.stdin, child.stdout);
	await client.initialize({
		workspaceFolders: [{ uri: `file://${workspace}`, name: 'work' }],
		capabilities: { experimental: { contextd: { notifications: true } } },
		initializationOptions: { estimator: 'heuristic', storage: { maxSessions: 6, cacheBytes: 100_000 } },
	});
	return { client, process: child, exited, log: () => log };
}

/** Milliseconds that a request may take beside others, however many wait. */
const patience = 120_000;

async function ask(daemon: Daemon): Promise<void> {
	const [method, { kind, params: schema, result: resultSchema, errors = [] }] = pick(messages);
	const sound = made(schema, known());
	const params = random() < 0.35 ? spoiled(sound) : sound;
	daemon.client.heard.length = 0;
	if (kind === 'notification') return daemon.client.notify(method, params);
	const { id, reply } = daemon.client.start(method, params);
	if (random() < 0.05) setTimeout(() => daemon.client.cancel(id), random() * 20).unref();
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<'late'>((resolve) => {
		timer = setTimeout(() => resolve('late'), patience);
	});
	const answer = await Promise.race([reply, daemon.exited, late]);
	clearTimeout(timer);
	if (answer === 'late') return found(`no answer to ${method}`, params);
	if (answer === null || typeof answer !== 'object')
		return found(`the daemon ended with ${answer}`, { method, params, log: daemon.log() });
	look(method, params, answer, resultSchema, errors);
}

function look(
	method: string,
	params: unknown,
	{ result, error }: Wire,
	schema: Schema | undefined,
	errors: readonly string[],
): void {
	if (error) {
		const { code, data } = error;
		if (code === -32603) found(`internal error in ${method}`, { params, error });
		const isNamed = data?.kind === undefined || data.kind === 'InvalidParams' || errors.includes(data.kind);
		if (!isNamed && method !== 'workspace/executeCommand')
			found(`${method} answers ${data?.kind}, which it does not declare`, { params, error });
		return;
	}
	const problem = schema && misfit(contract.definitions, schema, result);
	if (problem)
		found(`${method} answers what its schema does not say: ${problem.replace(/\[\d+\]/g, '[]')}`, {
			params,
			problem,
		});
	const { messageIds, compactionId, checkpointId } = (result ?? {}) as Record<string, unknown>;
	if (Array.isArray(messageIds)) for (const one of messageIds.slice(-2)) note(heard.messageId, one);
	note(heard.compactionId, compactionId);
	note(heard.checkpointId, checkpointId);
}

/** Every message of every session, hidden ones too. */
async function everything({ client }: Daemon): Promise<Map<string, unknown>> {
	const all = new Map<string, unknown>();
	const list = await client.start('session/list', {}).reply;
	const { sessions } = list.result as { sessions: { sessionId: string }[] };
	for (const { sessionId } of sessions) {
		const { result, error } = await client.start('context/history', { sessionId, includeHidden: true }).reply;
		if (error) found('a session cannot be read', { sessionId, error });
		all.set(sessionId, (result as { messages?: unknown })?.messages);
	}
	return all;
}

/** Changes some bytes of some journals. */
function damage(): void {
	const sessions = join(home, 'sessions');
	for (const name of readdirSync(sessions).filter((one) => one.endsWith('.jsonl'))) {
		if (random() < 0.5) continue;
		const bytes = readFileSync(join(sessions, name));
		for (let index = 0; index < 3; index++)
			bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
		writeFileSync(join(sessions, name), bytes);
	}
}

let daemon = await start();
let slowest = 0;
let sent = 0;
let isPinging = true;
const pings = (async () => {
	while (isPinging) {
		const started = performance.now();
		await Promise.race([daemon.client.start('context/count', { text: 'ping' }).reply, daemon.exited]);
		slowest = Math.max(slowest, performance.now() - started);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
})();

const rounds = 20;
for (let round = 0; round < rounds; round++) {
	const end = Math.floor((requests * (round + 1)) / rounds);
	const worker = async (): Promise<void> => {
		while (sent < end) {
			sent++;
			await ask(daemon);
		}
	};
	await Promise.all(Array.from({ length: 40 }, worker));
	const isKilled = round % 3 === 1;
	const before = await everything(daemon);
	if (isKilled) daemon.process.kill('SIGKILL');
	else {
		await daemon.client.start('shutdown').reply;
		daemon.client.notify('exit');
	}
	const code = await daemon.exited;
	if (!isKilled && code !== 0) found(`the daemon left with ${code}`, daemon.log());
	if (round % 3 === 2) damage();
	daemon = await start();
	const after = await everything(daemon);
	if (round % 3 !== 2) {
		for (const [id, history] of before) {
			if (JSON.stringify(after.get(id)) !== JSON.stringify(history))
				found('a session is another after a restart', { id, round });
		}
	}
	console.log(`${sent} requests, slowest ping ${Math.round(slowest)} ms, ${findings.size} findings`);
	slowest = 0;
}
isPinging = false;
daemon.client.end();
await Promise.all([daemon.exited, pings]);
rmSync(folder, { recursive: true, force: true });
console.log(findings.size === 0 ? 'nothing found' : `${findings.size} findings, seed ${seed}`);
process.exit(findings.size === 0 ? 0 : 1);
