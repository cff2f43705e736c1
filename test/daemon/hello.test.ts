import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	type DaemonStatus,
	type ExitParams,
	type Hello,
	type HelloAnswer,
	HelloMalformed,
	helloProtocol,
	type LeftParams,
	type LogParams,
	type MovedParams,
	maxHelloBytes,
	type ParsedHello,
	parseDaemonStatus,
	parseHello,
	parseHelloAnswer,
	relayMethods,
	type StatusQuestion,
} from '../../server/protocol/hello.ts';

const hello: Hello = {
	protocol: helloProtocol,
	version: '0.1.0',
	program: ['/usr/bin/node', '/opt/contextd.cjs'],
	pid: 7,
	cwd: '/home/ada/project',
	platform: 'linux',
	home: '/home/ada',
	environment: { CONTEXTD_LOG_LEVEL: 'debug' },
	flags: ['--stdio'],
};

describe('the handshake', () => {
	it('parseHello reads every hello that a relay writes', () => {
		const settingsFile = fc.record({
			path: fc.string(),
			value: fc.dictionary(fc.string(), fc.jsonValue()),
		});
		const hellos = fc.record({
			version: fc.string(),
			program: fc.array(fc.string(), { minLength: 1 }),
			pid: fc.integer({ min: 1 }),
			cwd: fc.string(),
			home: fc.string(),
			environment: fc.dictionary(fc.string(), fc.string()),
			flags: fc.array(fc.string()),
			settingsFile: fc.option(settingsFile, { nil: undefined }),
		});
		fc.assert(
			fc.property(hellos, (one) => {
				const line = JSON.stringify({ ...hello, ...one });
				expect(parseHello(line)).toEqual({ kind: 'hello', hello: JSON.parse(line) } satisfies ParsedHello);
			}),
		);
	});

	it('parseHello returns protocol and version of a hello of another protocol, whatever else it contains', () => {
		const foreign = { protocol: 2, version: '3.0.0' };
		expect(parseHello(JSON.stringify({ ...foreign, program: 'other' }))).toEqual({
			kind: 'foreign',
			...foreign,
		});
		const program = ['node', 'contextd.cjs'];
		expect(parseHello(JSON.stringify({ ...foreign, program }))).toEqual({
			kind: 'foreign',
			...foreign,
			program,
		});
	});

	it('parseDaemonStatus reads a status, and names a missing member', () => {
		const status: DaemonStatus = {
			version: '0.1.0',
			pid: 8,
			clients: 2,
			sessions: 3,
			memoryBytes: 1e8,
			uptime: 60,
		};
		expect(parseDaemonStatus(JSON.stringify(status))).toEqual(status);
		expect(() => parseDaemonStatus(JSON.stringify({ ...status, clients: undefined }))).toThrow('clients');
		const question: StatusQuestion = { ask: 'status', secret: 's' };
		expect(parseHello(JSON.stringify(question))).toEqual({ kind: 'status', secret: 's' });
	});

	it.each(Object.keys(hello))('parseHello names the member %s if it is wrong', (name) => {
		const line = JSON.stringify({ ...hello, [name]: null });
		expect(() => parseHello(line)).toThrow(new HelloMalformed(`${name}: missing or invalid`));
	});

	it('the parsers of the handshake throw only HelloMalformed on any input', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
				for (const parse of [parseHello, parseHelloAnswer, parseDaemonStatus]) {
					try {
						parse(line);
					} catch (error) {
						expect(error).toBeInstanceOf(HelloMalformed);
					}
				}
			}),
		);
	});

	it.each<HelloAnswer>([
		{ kind: 'welcome', version: '0.1.0', pid: 8 },
		{ kind: 'movingAside' },
		{ kind: 'refused', reason: 'restart the editor' },
	])('parseHelloAnswer reads the answer $kind', (answer) => {
		expect(parseHelloAnswer(JSON.stringify(answer))).toEqual(answer);
	});

	it('a hello may contain a settings file of a megabyte in its line', () => {
		expect(maxHelloBytes).toBeGreaterThan(1 << 20);
	});

	it('all notifications of the handshake share one prefix', () => {
		const params: [LogParams, ExitParams, MovedParams, LeftParams] = [
			{ text: '' },
			{ code: 0 },
			{},
			{ received: 0 },
		];
		expect(Object.values(relayMethods)).toHaveLength(params.length);
		for (const method of Object.values(relayMethods)) expect(method).toMatch(/^\$\/contextd\//);
	});
});
