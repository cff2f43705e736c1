/** A program that answers just the methods of the protocol that `contextd doctor` needs. */

/** Answers that differ from those of a sound daemon without sessions. */
export interface FakeProgram {
	/** Sessions that it lists, newest first. */
	sessions?: readonly { sessionId: string; updatedAt: number }[];
	/** The error with which it refuses `session/append`. */
	refusal?: string;
	/** What its recorder does; by default it does not record. */
	recorder?: object;
}

/** Returns the text of the program, as CommonJS. */
export function fakeProgram({ sessions = [], refusal, recorder = {} }: FakeProgram = {}): string {
	return `
const results = {
	initialize: { capabilities: { experimental: { contextd: {} } } },
	'session/list': { sessions: ${JSON.stringify(sessions)} },
	'recorder/status': ${JSON.stringify(recorder)},
	shutdown: null,
};
const refusal = ${JSON.stringify(refusal)};
const answer = ({ id, method }) => {
	if (method === 'exit') process.exit(0);
	if (id === undefined) return;
	const said = method === 'session/append' && refusal
		? { error: { code: -31992, message: refusal } }
		: { result: method in results ? results[method] : {} };
	const text = JSON.stringify({ jsonrpc: '2.0', id, ...said });
	process.stdout.write('Content-Length: ' + Buffer.byteLength(text) + '\\r\\n\\r\\n' + text);
};
let input = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
	input += chunk;
	for (let found; (found = /^Content-Length: (\\d+)\\r\\n\\r\\n/.exec(input)) && input.length >= found[0].length + Number(found[1]); ) {
		const end = found[0].length + Number(found[1]);
		answer(JSON.parse(input.slice(found[0].length, end)));
		input = input.slice(end);
	}
});
process.stdin.on('end', () => process.exit(0));
`;
}
