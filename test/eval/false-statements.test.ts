import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { called, kindsIn, ran, summary } from './checkedHistories.ts';
import { falseStatements } from './falseStatements/falseStatements.ts';

describe('a failed call', () => {
	const edit = {
		file_path: 'src/pump.ts',
		old_string: 'let pressure',
		new_string: 'const pressure = readGauge(7);',
	};
	const refused = called('edit', edit, 'String to replace not found', true);
	const booking = called('book_seat', { train: 'RX-19', seat: '42' }, 'Error: seat 42 is taken');

	it('a failed call is found if its content is quoted without a failure mark', () => {
		expect(kindsIn(refused, summary('edit pump.ts: const pressure = readGauge(7);'))).toEqual([
			'failed call',
		]);
	});

	it('a failed call whose failure only its text shows is found by its name and arguments', () => {
		expect(kindsIn(booking, summary('book_seat RX-19 42'))).toEqual(['failed call']);
	});

	it('a failed call is not found if the same or a neighbouring line of the view says that it failed', () => {
		expect(kindsIn(refused, summary('failed edit: const pressure = readGauge(7);'))).toEqual([]);
		expect(kindsIn(booking, summary('book_seat RX-19 42', ' → Error: seat 42 is taken'))).toEqual([]);
	});

	it('a failed call is not found if it succeeded later', () => {
		const repeated = [...booking, ...called('book_seat', { train: 'RX-19', seat: '42' }, 'booked')];
		expect(kindsIn(repeated, summary('book_seat RX-19 42'))).toEqual([]);
	});

	it('a failed call is not found in a quotation of what the agent said before', () => {
		const said: ChatMessage = { role: 'assistant', content: 'I propose: const pressure = readGauge(7);' };
		expect(kindsIn([said, ...refused], summary('const pressure = readGauge(7);'))).toEqual([]);
	});

	it('a failed call is not found in an original message, whose result follows', () => {
		expect(kindsIn(booking, booking)).toEqual([]);
	});

	it('a failed call is not found in a message that was cut, if its result follows', () => {
		const [call, result] = refused.slice(-2) as [ChatMessage, ChatMessage];
		const cut = { ...call, content: '[… about 40 tokens cut here]' };
		expect(kindsIn(refused, [cut, { ...result, content: '[Tool result cleared; failed]' }])).toEqual([]);
		expect(kindsIn(refused, [cut])).toEqual(['failed call']);
	});

	it('a search without hits is not taken for a failed call', () => {
		const search = ran('grep -rn pressureValve src', 'Exit code 1', true);
		expect(kindsIn(search, summary('bash grep -rn pressureValve src'))).toEqual([]);
	});
});

describe('a stale check', () => {
	const failed = ran('npm test', '2 failed, 10 passed\n× pump stops at 4 bar', true);
	const fixed = [...failed, ...ran('npm test', '12 passed')];

	it('a stale check is found if the view says that it failed, and it passed later', () => {
		expect(kindsIn(fixed, summary('npm test: 2 failed'))).toEqual(['stale check']);
	});

	it('a stale check is found if the view says that it passed, and it failed later', () => {
		const broken = [...ran('npm test', '12 passed'), ...failed];
		expect(kindsIn(broken, summary('npm test: 12 passed'))).toEqual(['stale check']);
	});

	it('a stale check is found if a fixed failure is quoted and nothing says that it was fixed', () => {
		expect(kindsIn(fixed, summary('× pump stops at 4 bar'))).toEqual(['stale check']);
	});

	it('a stale check is not found if the same or a later line of the view says that it passed', () => {
		expect(kindsIn(fixed, summary('npm test: 2 failed', 'npm test: 12 passed, 0 failed'))).toEqual([]);
		expect(kindsIn(fixed, summary('npm test: 2 failed (passed later)'))).toEqual([]);
		expect(kindsIn(fixed, summary('npm test: 12 passed; before: 2 failed'))).toEqual([]);
		expect(kindsIn(fixed, summary('× pump stops at 4 bar', 'all 12 tests pass now'))).toEqual([]);
	});

	it('a check is not stale while its failure is the last outcome', () => {
		expect(kindsIn(failed, summary('npm test: 2 failed', '× pump stops at 4 bar'))).toEqual([]);
	});

	it('a check is not taken for passed if a pipe hides its exit code, or if it still runs', () => {
		const command = 'npm test 2>&1 | tail -3';
		expect(
			kindsIn([...failed, ...ran(command, 'Debugger attached.')], summary('npm test: 2 failed')),
		).toEqual([]);
		expect(kindsIn([...failed, ...ran(command, '12 passed')], summary('npm test: 2 failed'))).toEqual([
			'stale check',
		]);
		const started = ran('npm test', 'Process running with session ID 4');
		expect(kindsIn([...failed, ...started], summary('npm test: 2 failed'))).toEqual([]);
	});

	it('a check failed if Go marks a test as failed and a pipe cuts its end', () => {
		const output = 'ok  \texample.com/pump\t0.1s\n--- FAIL: TestPump (0.2s)\n    pump_test.go:4: 4 bar';
		const broken = ran('go test ./... 2>&1 | head -3', output);
		expect(kindsIn(broken, summary('go test ./...: --- FAIL: TestPump'))).toEqual([]);
	});

	it('a check failed if its runner marks a test as failed', () => {
		const output = '(pass) pump > starts\n(fail) pump > stops at 4 bar';
		const broken = [...ran('bun test', '12 pass'), ...ran('bun test', output)];
		expect(kindsIn(broken, summary('bun test: 12 pass, 0 fail'))).toEqual(['stale check']);
	});

	it('a line of a failed check is not stale if another call shows it as code', () => {
		const code = 'func (p Pump) Stop() error {';
		const lint = ran('golangci-lint run', `pump.go:7: exported method\n${code}`, true);
		const history = [...called('read', { path: 'pump.go' }, `  7→${code}`), ...lint];
		const later = [...history, ...ran('golangci-lint run', '0 issues.')];
		expect(kindsIn(later, summary(code))).toEqual([]);
		expect(kindsIn(later.slice(2), summary(code))).toEqual(['stale check']);
	});

	it('a command that searches for failures is not taken for a check', () => {
		const passed = ran('npm run check | grep error', '');
		expect(kindsIn(passed, summary('npm run check | grep error → (no output)'))).toEqual([]);
		expect(kindsIn(passed, summary('npm run check | grep -E "error" | head'))).toEqual([]);
	});
});

describe('a file that was deleted or recreated', () => {
	const removed = [
		...called('write', { file_path: '/w/src/valve.ts', content: 'open();' }, 'ok'),
		...ran('git rm -q src/valve.ts', ''),
	];

	it('a deleted file is found if the view mentions it without saying that it is gone', () => {
		expect(kindsIn(removed, summary('changed: src/valve.ts'))).toEqual(['removed file']);
		expect(kindsIn(ran('mv src/valve.ts src/gate.ts', ''), summary('changed: src/valve.ts'))).toEqual([
			'removed file',
		]);
	});

	it('a deleted file is not found if the view says that its folder is gone', () => {
		const moved = ran('mv lib/old/valve.ts lib/gate.ts && rmdir lib/old', '');
		expect(kindsIn(moved, summary('Write lib/old/valve.ts'))).toEqual(['removed file']);
		expect(kindsIn(moved, summary('Write lib/old/valve.ts', 'removed: lib/old'))).toEqual([]);
		expect(kindsIn(moved, summary('Write lib/old/valve.ts', 'removed: lib/old/pump.ts'))).toEqual([
			'removed file',
		]);
	});

	it('an existing file is found if the last line about it says that it was removed', () => {
		const restored = [...removed, ...ran('git checkout src/valve.ts', '')];
		expect(kindsIn(restored, summary('removed: src/valve.ts'))).toEqual(['existing file']);
	});

	it('a file that moved to an outer folder, and a temporary file, are not found', () => {
		const moved = ran('git mv lib/Makefile.in Makefile.in', '');
		expect(kindsIn(moved, summary('removed: lib/Makefile.in'))).toEqual([]);
		const tried = ran('rm -f /tmp/valve.json', '');
		expect(kindsIn(tried, summary("Error: '/tmp/valve.json' is not valid"))).toEqual([]);
	});

	it('a file is not found if the view says correctly whether it exists', () => {
		expect(kindsIn(removed, summary('changed: src/valve.ts', 'removed: src/valve.ts'))).toEqual([]);
		const restored = [...removed, ...ran('git checkout src/valve.ts', '')];
		expect(kindsIn(restored, summary('removed: src/valve.ts', 'restored src/valve.ts'))).toEqual([]);
	});
});

describe('a row of a record', () => {
	const trips = [
		{ trip_id: 'T-11', leaves: '06:40', price: '129.00', from: 'Arden' },
		{ trip_id: 'T-12', leaves: '09:15', price: '154.00', from: 'Arden' },
	];
	const found = called('search_trips', { from: 'Arden' }, JSON.stringify({ trips }));

	it('a row is found if two values of a record are shown without its id', () => {
		expect(kindsIn(found, summary('leaves 09:15, price 154.00'))).toEqual(['row without key']);
	});

	it('a row has the id that it calls its own, although an id of another record precedes it', () => {
		const seat = { trip_id: 'T-12', place: '14C', fare: '88.20', id: 'S-77' };
		const seats = called('list_seats', {}, JSON.stringify([seat]));
		expect(kindsIn(seats, summary('S-77: place 14C, fare 88.20'))).toEqual([]);
		expect(kindsIn(seats, summary('place 14C, fare 88.20'))).toEqual(['row without key']);
	});

	it('a row is not found if the line has another id of only this record, or quotes the user', () => {
		const item = { name: 'Lamp', product_id: '77120', item_id: '90431', shade: 'linen' };
		const order = called('get_order', { id: 'B-1' }, JSON.stringify({ items: [item] }));
		const stock = called('get_stock', {}, JSON.stringify([{ item_id: '90431', left: 4, shelf: 'F-2' }]));
		expect(kindsIn([...order, ...stock], summary('Lamp (item 90431), linen'))).toEqual([]);
		expect(kindsIn([...order, ...stock], summary('Lamp, linen'))).toEqual(['row without key']);
		const typed: ChatMessage = { role: 'user', content: 'The Lamp in linen.' };
		expect(kindsIn([...order, typed], summary('[#4 user] The Lamp in linen.'))).toEqual([]);
	});

	it('a row is not found in a sentence with common words and small numbers', () => {
		const line = called('jq', {}, JSON.stringify({ entry_id: 'E-4', line: 372, type: 'user' }));
		expect(kindsIn(line, summary('Line 372 is the result, a message of the user'))).toEqual([]);
	});

	it('a row is not found with its id in the same or the previous line, or if its values belong to several records', () => {
		expect(kindsIn(found, summary('T-12 leaves 09:15, price 154.00'))).toEqual([]);
		expect(kindsIn(found, summary('T-12', 'leaves 09:15, price 154.00'))).toEqual([]);
		expect(kindsIn(found, summary('from Arden to Arden, price 154.00'))).toEqual([]);
	});
});

describe('noise', () => {
	it.each([
		'});',
		'  42→',
		'1461:',
		' 1482: …',
		'[#13 open src/fields.py 1474] 1461:',
		'[#13 open] [File: src/fields.py (1997 lines total)] …',
		'(1456 more lines above)',
		'[#40 Bash] --- PASS: TestTotals (0.06s) …',
		'100 12.3M  100 12.3M    0     0  4012k      0  0:00:03 --:--:--',
		'[459 more lines in file. Use offset=80 to continue.]',
		'@@ -1,4 +1,6 @@',
		'exec_command ls yield_time_ms=10000',
		'-rw-r--r-- 1 ada ada 120 notes.txt',
		'\u001b[32mgreen\u001b[0m',
	])('noise is found in %j', (line) => {
		expect(kindsIn([], summary(line))).toEqual(['noise']);
	});

	it('noise is not found in a line that a user typed', () => {
		const typed: ChatMessage = { role: 'user', content: 'What is this?\n@@ -1,4 +1,6 @@' };
		expect(kindsIn([typed], summary('user: What is this?', '@@ -1,4 +1,6 @@'))).toEqual([]);
	});
});

describe('a labelled statement', () => {
	const label = {
		session: 's',
		statement: 'The limit is 6.',
		pattern: /limit is 4/giu,
		correctedBy: /limit is 6/giu,
	};

	it('a labelled statement is found if the compaction wrote it', () => {
		const found = falseStatements([], summary('The limit is 4 bar.'), [label]);
		expect(found).toEqual([{ kind: 'label', line: 'The limit is 4 bar.', reason: 'The limit is 6.' }]);
	});

	it('a labelled statement is not found in an original message, or if a later line corrects it', () => {
		const original: ChatMessage = { role: 'assistant', content: 'The limit is 4 bar.' };
		expect(falseStatements([original], [original], [label])).toEqual([]);
		expect(falseStatements([], summary('The limit is 4 bar.', 'The limit is 6 bar.'), [label])).toEqual([]);
	});
});
