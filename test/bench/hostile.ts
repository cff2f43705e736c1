/**
 * Sends a daemon, as it was built, requests of every method of the contract: sound, odd, huge, cancelled, many at once,
 * some to a second daemon on the same state; changes its settings, grows a transcript that it follows, kills it in the
 * midst of its work, damages its journals, and looks at what it answers and at what is left of what it acknowledged.
 * `npm run bench -- hostile`, then the number of requests and a seed. Prints what it found; ends with 1 where that is
 * anything.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { misfit, type Schema } from '../support/anyParams.ts';
import { type Client, createClient, type Wire } from '../support/client.ts';
import { randomFrom } from '../support/generatedText.ts';
import { createAcknowledged } from '../support/hostile/acknowledged.ts';
import { hostileThings } from '../support/hostile/things.ts';

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
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const folder = mkdtempSync(join(tmpdir(), 'contextd-hostile-'));
const home = join(folder, 'state');
const things = hostileThings({
	folder,
	home,
	definitions: contract.definitions,
	random,
	commands: messages.map(([method]) => `contextd.${method.replace('/', '.')}`),
});

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
		workspaceFolders: [{ uri: `file://${things.workspace}`, name: 'work' }],
		capabilities: { experimental: { contextd: { notifications: true } } },
		initializationOptions: { estimator: 'heuristic', storage: { maxSessions: 6, cacheBytes: 100_000 } },
	});
	return { client, process: child, exited, log: () => log };
}

/** Milliseconds that a request may take beside others, however many wait. */
const patience = 300_000;
const acknowledged = createAcknowledged();
/** The daemon is to be killed in the midst of its work. */
let isKilling = false;

async function ask(daemon: Daemon): Promise<void> {
	if (random() < 0.01) return changeSettings(daemon);
	const [method, { kind, params: schema, result: resultSchema, errors = [] }] = pick(messages);
	const sound = things.made(schema);
	const params = random() < 0.35 ? things.spoiled(sound) : sound;
	daemon.client.heard.length = 0;
	if (kind === 'notification') return daemon.client.notify(method, params);
	const acknowledge = acknowledged.sending(method, params);
	const { id, reply } = daemon.client.start(method, params);
	if (random() < 0.05) setTimeout(() => daemon.client.cancel(id), random() * 20).unref();
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<'late'>((resolve) => {
		timer = setTimeout(() => resolve('late'), patience);
	});
	const answer = await Promise.race([reply, daemon.exited, late]);
	clearTimeout(timer);
	if (answer === 'late') return found(`no answer to ${method}`, params);
	if (answer === null || typeof answer !== 'object') {
		if (!isKilling) found(`the daemon ended with ${answer}`, { method, params, log: daemon.log() });
		return;
	}
	acknowledge(answer.result);
	look(method, params, answer, resultSchema, errors);
}

/** Any settings but where sessions are kept, how long, and providers that would be called over the network. */
function changeSettings(daemon: Daemon): void {
	const {
		storage,
		summarization: _,
		...others
	} = things.made({
		$ref: '#/definitions/Settings',
	}) as Record<string, Record<string, unknown>>;
	const settings = {
		...others,
		storage: { maxSessions: storage?.maxSessions, cacheBytes: storage?.cacheBytes },
	};
	const contextd = random() < 0.5 ? things.spoiled(settings) : settings;
	daemon.client.notify('workspace/didChangeConfiguration', { settings: { contextd } });
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
		if (code === -32603) found(`internal error in ${method}: ${error.message}`, { params, error });
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
	things.note(result);
}

/** Every message of every session, hidden ones too. */
async function everything({ client }: Daemon): Promise<Map<string, { id?: string }[]>> {
	const all = new Map<string, { id?: string }[]>();
	const list = await client.start('session/list', {}).reply;
	const { sessions } = list.result as { sessions: { sessionId: string }[] };
	for (const { sessionId } of sessions) {
		const { result, error } = await client.start('context/history', { sessionId, includeHidden: true }).reply;
		if (error) found('a session cannot be read', { sessionId, error });
		all.set(sessionId, (result as { messages?: { id?: string }[] })?.messages ?? []);
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

async function quit(daemon: Daemon): Promise<void> {
	await daemon.client.start('shutdown').reply;
	daemon.client.notify('exit');
	const code = await daemon.exited;
	if (code !== 0) found(`the daemon left with ${code}`, daemon.log());
}

async function kill(daemon: Daemon): Promise<void> {
	daemon.process.kill('SIGKILL');
	await daemon.exited;
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

const rounds = Math.max(12, Math.round(requests / 10_000));
const endings = ['quit', 'killed', 'damaged', 'killed in its work'] as const;
for (let round = 0; round < rounds; round++) {
	const ending = endings[round % endings.length];
	const end = Math.floor((requests * (round + 1)) / rounds);
	const beside = await start();
	const killedAt = ending === 'killed in its work' ? sent + Math.floor(random() * (end - sent)) : end + 1;
	const worker = async (): Promise<void> => {
		while (sent < end && !isKilling) {
			sent++;
			if (random() < 0.01) things.growTranscript();
			if (sent === killedAt) {
				isKilling = true;
				await Promise.all([kill(daemon), kill(beside)]);
				return;
			}
			await ask(random() < 0.1 ? beside : daemon);
		}
	};
	await Promise.all(Array.from({ length: 40 }, worker));
	if (!isKilling) await quit(beside);
	const before = isKilling ? undefined : await everything(daemon);
	if (ending === 'killed') await kill(daemon);
	else if (!isKilling) await quit(daemon);
	isKilling = false;
	if (ending === 'damaged') damage();
	daemon = await start();
	const after = await everything(daemon);
	if (ending === 'damaged') acknowledged.forget();
	else {
		for (const { sessionId, lost } of acknowledged.missing(after))
			found('acknowledged messages are gone after a restart', { sessionId, lost, round, ending });
		for (const [id, history] of before ?? []) {
			if (JSON.stringify(after.get(id)) !== JSON.stringify(history))
				found('a session is another after a restart', { id, round, ending });
		}
	}
	console.log(
		`${sent} requests, ${ending}, slowest ping ${Math.round(slowest)} ms, ${findings.size} findings`,
	);
	slowest = 0;
}
isPinging = false;
daemon.client.end();
await Promise.all([daemon.exited, pings]);
rmSync(folder, { recursive: true, force: true });
console.log(findings.size === 0 ? 'nothing found' : `${findings.size} findings, seed ${seed}`);
process.exit(findings.size === 0 ? 0 : 1);
