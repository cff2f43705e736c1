/** The model of the example: it reads, runs the tests and answers, always in the same way. */

const questions = [
	'The date parser fails on leap days. Find out why, and fix it.',
	'Now the time zone is lost when a date is written back. Never touch the public API.',
	'Add tests for dates before 1970.',
	'Why are two of the tests slow?',
	'Does the parser take week dates such as 2024-W05?',
	'Write the change log entry.',
];

class ContextOverflow extends Error {
	constructor(tokens, limit) {
		super(`prompt is too long: ${tokens} tokens > ${limit} maximum`);
		this.status = 400;
		this.type = 'invalid_request_error';
	}
}

let calls = 0;

/** Tokens as this model counts them: one for four characters. */
function tokensOf(messages) {
	return Math.ceil(JSON.stringify(messages).length / 4);
}

function call(name, args) {
	calls++;
	return { id: `call_${calls}`, name, args };
}

/** Reads a file after a question, runs the tests after that, and then answers. */
function nextStep(messages) {
	const last = messages.at(-1);
	if (last.role === 'tool' && last.toolName === 'read_file')
		return {
			content: 'The file is clear. I run the tests to see what fails.',
			toolCalls: [call('run_tests', { pattern: 'date' })],
		};
	if (last.role === 'tool')
		return { content: 'One case is wrong: the month is counted from 0 there. I have fixed it.' };
	return {
		content: 'I read the parser first.',
		toolCalls: [call('read_file', { path: calls % 4 === 0 ? 'src/dateParser.ts' : 'src/timeZone.ts' })],
	};
}

exports.ContextOverflow = ContextOverflow;

exports.answerOf = {
	question: (turn) => questions[turn % questions.length],
	model(messages, limit) {
		const input = tokensOf(messages);
		if (input > limit) throw new ContextOverflow(input, limit);
		const step = nextStep(messages);
		return {
			role: 'assistant',
			...step,
			usage: { input, output: tokensOf([step]) },
			stopReason: step.toolCalls ? 'tool' : 'stop',
			timestamp: Date.now(),
		};
	},
	testRun(pattern) {
		const lines = Array.from(
			{ length: 90 },
			(_, index) =>
				`  ok ${index + 1} ${pattern} case ${index + 1}: parsed 20${10 + (index % 20)}-0${1 + (index % 9)}-11`,
		);
		return [
			...lines,
			'  not ok 91 date of a leap day: expected 2024-02-29, got 2024-03-01',
			'90 passed, 1 failed',
		].join('\n');
	},
};
