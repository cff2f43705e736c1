import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFileAccess } from '../../../server/core/files/findTouches.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { needsCorpus } from '../../support/needs.ts';

const corpus = resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus');
const index = join(corpus, 'index.json');

describe.skipIf(!existsSync(index))('real sessions', needsCorpus, () => {
	it('the arguments of real sessions yield almost every read that a pattern finds in the text', () => {
		const { sessions } = JSON.parse(readFileSync(index, 'utf8')) as {
			sessions: { file: string; fileReads: number }[];
		};
		let found = 0;
		let counted = 0;
		for (const { file, fileReads } of sessions) {
			counted += fileReads;
			for (const line of readFileSync(join(corpus, file), 'utf8').split('\n').filter(Boolean)) {
				const { toolCalls = [] } = JSON.parse(line) as { toolCalls?: ToolCall[] };
				for (const call of toolCalls) {
					const { touches } = findFileAccess(call);
					found += new Set(touches.filter(({ kind }) => kind === 'read').map(({ path }) => path)).size;
				}
			}
		}
		// The pattern also matches reads that show only a selection (`cat F | grep`, `git show | sed -n`).
		expect(found / counted).toBeGreaterThan(0.9);
	});
});
