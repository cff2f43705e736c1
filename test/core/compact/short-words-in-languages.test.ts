import { describe, expect, it } from 'vitest';
import { isAboutClient } from '../../../server/core/analysis/message/typedCommands.ts';
import { isAnnouncement, isGuess } from '../../../server/core/analysis/text/cues.ts';
import { isStrictRule, soundsLikeRule } from '../../../server/core/analysis/text/ruleWords.ts';
import { isRequest } from '../../../server/core/analysis/text/statements.ts';

describe('short English words next to words of other scripts', () => {
	it.each(['ok 请删除旧表', 'はい、no テーブルを消して', 'Ja, удали таблицу', 'ok, künftige Zeilen löschen'])(
		'a request is more than an approval: %s',
		(text) => expect(isRequest(text)).toBe(true),
	);

	it.each(['ok', '„Ja, danke!“', '好的。', '¡ok! weiter…'])('an approval is no request: %s', (text) =>
		expect(isRequest(text)).toBe(false),
	);

	it.each(['exit 请继续', 'bye をボタンに出す', 'quit übernehmen'])('a request does not leave: %s', (text) =>
		expect(isAboutClient(text)).toBe(false),
	);

	it.each([
		'Or maybe the hook cannot write its log.',
		'But what if the lock is held?',
		"So it's possible that the token expired.",
		'There could be a race between both.',
	])('a guess after a conjunction is a guess: %s', (text) => expect(isGuess(text)).toBe(true));

	it('a finding does not begin with a guess or an announcement', () => {
		expect(isGuess('But wait, the test proves that the lock is held.')).toBe(false);
		expect(isGuess('结果 maybe 标志没有设置')).toBe(false);
		expect(isAnnouncement('文件 next 行 now i 是零')).toBe(false);
	});
});

it('the Polish word for "not" is no German rule', () => {
	expect(isStrictRule('To nie działa na produkcji.')).toBe(false);
	expect(soundsLikeRule('Nie wiem, dlaczego to się psuje.')).toBe(false);
	expect(isStrictRule('Starte nie den Server.')).toBe(true);
});
