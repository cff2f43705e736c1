/**
 * Finds rules that the user withdrew or corrected later: "Never touch src/vendor.", if "You can touch src/vendor after all."
 * follows; "Use 4 spaces.", if "2 spaces, sorry." follows.
 */

import { getMessageName } from '../message/source.ts';
import { isQuestion } from '../text/cues.ts';
import { toPlainApostrophes } from '../text/language.ts';
import { quoteLine } from '../text/quote.ts';
import { isForbidding } from '../text/ruleWords.ts';
import { sentenceOrLineEndPattern } from '../text/sentences.ts';
import { removeAttachments, type UserRule } from '../user/rules.ts';
import type { UserStatement } from '../user/userStatements.ts';
import { findCodeNames, listStems, statesOtherFigure } from './replacedStatements.ts';

/** Maximum length of a sentence that permits something. UTF-16 units. */
const maxSentenceLength = 300;
/** Minimum number, or minimum share of a permission's words, that a rule about the same subject contains. */
const sharedWords = { min: 2, minShare: 0.6 } as const;

/** Blocks of code and quoted lines, which are not the user's own words. An unclosed block extends to the end. */
const quotationPattern = /^[ \t]*```[\s\S]*?(?:^[ \t]*```|(?![\s\S]))|^[ \t]*>.*$/gm;

/** Permissions, which a negation turns into prohibitions. */
const permissionPattern =
	/(?<!\b(?:that|which|where|so|if|how) )\byou (?:can|may|could|are (?:now )?(?:free|allowed|welcome) to)\b|\bfeel free to\b|\b(?:it|that|this)(?:'s| is) (?:ok|okay|fine|alright)(?: now)? to\b|\bgo ahead and\b|\b(?:is|are) (?:now )?(?:allowed|fair game|fine|ok|okay)(?: to \w+)? (?:now|again|after all)\b|\b(?:darfst|kannst|dürft|könnt) (?:du|ihr)\b|\b(?:du|ihr) (?:darfst|kannst|dürft|könnt)\b|\b(?:darf|dürfen) (?:jetzt|nun|doch|wieder)\b|\bist (?:jetzt|nun|doch|wieder) (?:erlaubt|ok|okay|in Ordnung)\b|\b(?:tu peux|vous pouvez) (?:maintenant|finalement|désormais)\b|\b(?:ahora|ya) puedes\b|\b(?:agora|já) pode\b|\b(?:ora|adesso) puoi\b|\bpuoi (?:ora|adesso)\b|(?:теперь|снова|вс[её]-таки) (?:можно|можешь|разреш)|(?:можно|можешь) (?:теперь|снова)|可以(?:再)?(?:动|改|修改|删|删除|提交|用|使用|碰|安装|添加)/i;
/** Words before what limits a permission: "You may change it, but only the port." */
const conditionPattern = /,? (?:but|aber) /i;
const negationPattern =
	/\b(?:not|never|only|unless|until|except|nicht|nie|kein\w*|nur)\b|n't\b|(?<!\p{L})(?:не|нельзя|no|não|non|pas)(?!\p{L})|不可以|只可以/iu;
/** Permissions, and ends of duties and rules, that contain a negation or need none. */
const releasePattern =
	/\b(?:don't|do not|needn't|no longer) (?:have|need) to\b|\bno need to\b|\bno longer (?:appl\w+|holds?|off[- ]limits)\b|\b(?:drop|scrap|forget|lift) (?:the|that|my) (?:\w+ ){0,2}(?:rule|restriction|ban|freeze)\b|\bforget what I (?:just )?(?:said|wrote) (?:about|on)\b|\bist (?:jetzt |nun )?aufgehoben\b|\b(?:musst|brauchst) (?:du )?.{1,60}\bnicht mehr\b|\bgilt nicht mehr\b|ても(?:いい|良い|よい|大丈夫|構|かまい|かまわ|問題)|て大丈夫|解除|不用再|不再需要/i;
/** Words that turn a mention of an ability into a permission: the end of a rule, or a lasting change. */
const changePattern =
	/\b(?:after all|now|again|anyway|any ?more|jetzt|nun|doch|wieder|touch\w*|edit\w*|chang\w+|modif\w+|delet\w+|remov\w+|renam\w+|overwrit\w+|push\w*|commit\w*|merg\w+|deploy\w*|install\w*|upgrad\w+|format\w*|migrat\w+|add\w*|maintenant|finalement|ahora|ya|agora|ora|adesso)\b|désormais|já|änder|lösch|[а-яё\u3040-\u9fff]/i;

/** Stems of the words of a rule that only waits for the user: "Do not commit anything until I tell you to." */
const waitingStemPattern =
	/^(?:any|anyth|noth|until|unless|befor|say|said|tell|told|ask|approv|confirm|yet|without|okay?|don|just|yourself|erst|bevor|bis|sag|etwas|nichts|kein|ohne|frag)/;

/** Words with which a user corrects a figure: "2 spaces, sorry". */
const correctionPattern =
	/\b(?:sorry|instead|actually|rather|after all|no longer|scratch|correction|make (?:it|that)|doch|stattdessen|statt|lieber)\b|代わりに|やっぱり|改为|改成/i;

/** Words of a sentence that demands nothing now: a condition, a report or a prohibition. */
const undemandingPattern =
	/\b(?:if|when|before|after|once|until|unless|except|how|why|did|was|were|will|would|might|not|never|no|without|wenn|falls|bevor|nachdem|erst|nicht|nie|kein\w*|ohne)\b|n['’]t\b|前に|しない|不要|不得|别|禁止/i;

/** The end of a clause: a demand for two things does not combine their words. */
const clauseEndPattern = /[,;:]\s|\b(?:then|but|dann|aber)\b/i;

/** Words of a rule that holds only until the user orders the work: "Don't change anything yet." */
const temporaryPattern =
	/\b(?:yet|for now|right now|for the moment|until I (?:say|tell|ask)|erst ?mal|vorerst|noch (?:nicht|nichts|keine?[nrms]?)|bis ich)\b|まだ|今は|先(?:不要|别)|暂时/i;
/** Chinese and Japanese prohibitions of all changes. Their words have no spaces between them. */
const anyChangePattern =
	/(?:まだ|今は)(?:何も|コード[をは]?|ファイル[をは]?)?(?:変え|変更し|触ら|修正し)ないで(?:ください)?[。！]?$|(?:先|暂时)(?:不要|别)(?:动|改|修改|更改)(?:任何)?(?:代码|文件|东西|内容)?[。！]?$/;
/** An order to do the work: "Make this happen.", "Go ahead." */
const workOrderPattern =
	/^[^\p{L}]{0,9}(?:(?:ok(?:ay)?|alright|great|good|perfect|yes|now|then|so|and|please|just|looks good|gut|prima|let['’]s|jetzt|dann|bitte)[,.!:]? ){0,3}(?:go ahead|proceed|carry (?:it|this|that) out|do (?:it|this|that|so)\b|make (?!sure\b)|(?:add|apply|build|change|create|delete|edit|execute|fix|implement|install|move|refactor|remove|rename|replace|rewrite|update|write)\b|(?:leg|fang) (?:jetzt )?(?:los|an)\b|mach (?:es|das|los|weiter)\b|setz\w* |implementier|führ\w* |bau\w* )|^(?:では|じゃあ)?[^。？?]{0,40}(?:実装|実行|修正|変更|作成)してください|^(?:好的?[，,。]?)?(?:现在|请|那就)?(?:开始(?:实现|修改|执行|写|做)|执行|实现|实施|动手|按(?:这个|照)?[^。？?]{0,20}(?:改|做|实现))/iu;
/** What an order names that changes no files yet. */
const planWordPattern =
	/\b(?:plan|proposal|list|summary|overview|outline|report|draft|sketch|design|options?|suggestions?|vorschlag|liste|überblick)\b|計画|一覧|方案|计划|列表/i;

/**
 * A sentence in which the user permits something, ends a duty or corrects a figure, orders work, or may demand what a rule
 * forbids.
 */
interface Release {
	text: string;
	statement: UserStatement;
	kind: 'permission' | 'correction' | 'demand' | 'order';
}

/** An answer that is nothing but an agreement. */
const agreementPattern =
	/^[^\p{L}\p{N}]*(?:yes|yep|yeah|sure|ok(?:ay)?|go ahead|do (?:it|that|so)|please do|ja|oui|sí|да|はい|是的?|好的?|可以)(?![\p{L}\p{N}])(?:[\s,.!]{1,3}(?:please|do|it|that|so|go|ahead|sure|thanks|thank you|now|bitte|gern|danke)(?![\p{L}\p{N}])){0,5}[\s,.!。！]{0,4}$/iu;
/** A question whether the agent may do something, with the verb right behind its opening: "Shall I push?" */
const permissionQuestionPattern =
	/^[^\p{L}]*(?:(?:so|now|then|ok(?:ay)?|and)[, ]+){0,2}(?:(?:shall|should|may|can) (?:I|we) (?:now |also |just )?(?!make\b|add\b|write\b)|(?:do you )?want me to (?!make\b|add\b|write\b)|(?:soll|darf|kann) ich\b)[^"'“”]{0,200}$|ましょうか[?？]|(?:要不要|需要)我/iu;
/** Words of a question to which "yes" permits nothing, or does not say what. */
const unclearQuestionPattern =
	/\b(?:or|wait|hold|skip|leave|keep|without|instead|before|check|block|prevent|fail|forbid|refuse|oder|ohne|warten|bevor)\w*|还是|それとも/i;

/** Returns an agreement with its question, which permits what the question proposes: `yes (asked: Shall I push?)`. */
function readAgreement(statement: UserStatement): Release[] {
	const { precedingQuestion: question, text, interruptedIn, takenBack } = statement;
	if (question === undefined || interruptedIn || takenBack || !agreementPattern.test(text)) return [];
	const plainQuestion = toPlainApostrophes(question);
	if (!permissionQuestionPattern.test(plainQuestion)) return [];
	if (negationPattern.test(plainQuestion) || unclearQuestionPattern.test(plainQuestion)) return [];
	return [{ text: `${text.trim()} (asked: ${question})`, statement, kind: 'demand' }];
}

/** Returns the sentences that may release from rules, and agreements to questions, oldest first. */
function collectReleases(statements: readonly UserStatement[]): Release[] {
	return statements
		.filter(({ kind, pasted }) => kind !== 'wrapped' && pasted !== 'whole')
		.flatMap((statement) => [
			...readAgreement(statement),
			...removeAttachments(statement.text.replace(quotationPattern, ''))
				.split(sentenceOrLineEndPattern)
				.filter((text) => text.length <= maxSentenceLength)
				.flatMap((text) =>
					listReleaseKinds(toPlainApostrophes(text)).map(
						(kind): Release => ({ text: text.trim(), statement, kind }),
					),
				),
		]);
}

function listReleaseKinds(text: string): Release['kind'][] {
	if (isQuestion(text)) return [];
	const kinds: Release['kind'][] =
		workOrderPattern.test(text) && !planWordPattern.test(text) ? ['order'] : [];
	if (isPermission(text)) return [...kinds, 'permission'];
	if (correctionPattern.test(text)) return [...kinds, 'correction'];
	return undemandingPattern.test(text) ? kinds : [...kinds, 'demand'];
}

function isPermission(text: string): boolean {
	if (releasePattern.test(text)) return true;
	const [permission = ''] = text.split(conditionPattern);
	return (
		permissionPattern.test(permission) && !negationPattern.test(permission) && changePattern.test(permission)
	);
}

/** A later release from a rule, and whether it covers everything that the rule names. */
export interface Withdrawal {
	release: Release;
	isWhole: boolean;
}

/** Finds the withdrawal of a rule. */
export type FindWithdrawal = (rule: UserRule) => Withdrawal | undefined;

/** Creates a search in the user's statements, which are searched for releases only if there is a rule. */
export function createWithdrawalSearch(statements: readonly UserStatement[]): FindWithdrawal {
	let releases: readonly Release[] | undefined;
	return (rule) => {
		releases ??= collectReleases(statements);
		return findWithdrawal(rule, releases, statements);
	};
}

/** Returns the newest later release from a rule, unless the user repeated the rule after it. */
function findWithdrawal(
	rule: UserRule,
	releases: readonly Release[],
	statements: readonly UserStatement[],
): Withdrawal | undefined {
	const ruleNames = findCodeNames(rule.text);
	const release = releases.findLast(({ text, statement, kind }) => {
		if (statement.source.seq <= rule.source.seq) return false;
		if (kind === 'order') return isTemporaryBan(rule.text);
		if (kind === 'demand')
			return (
				isForbidding(rule.text) &&
				(text.split(clauseEndPattern).some((clause) => coversRule(listStems(clause), rule.text)) ||
					demandsChange(text, ruleNames))
			);
		return kind === 'correction'
			? statesOtherFigure(text, rule.text)
			: isSameSubject(rule.text, ruleNames, text);
	});
	if (release === undefined) return undefined;
	const isRepeated = statements.some(
		({ source, text }) =>
			source.seq > release.statement.source.seq &&
			(text.includes(rule.text) ||
				(renewalPattern.test(text) && ruleNames.some((name) => text.includes(name)))),
	);
	if (isRepeated) return undefined;
	const names = findCodeNames(release.text);
	const isWhole =
		release.kind === 'order' ||
		(release.kind === 'permission' &&
			!conditionPattern.test(release.text) &&
			ruleNames.every((name) => names.includes(name)));
	return { release, isWhole };
}

function isSameSubject(rule: string, ruleNames: readonly string[], permission: string): boolean {
	const names = findCodeNames(permission);
	if (ruleNames.some((name) => names.some((one) => name === one || name.endsWith(`/${one}`)))) return true;
	if (names.length > 0 && ruleNames.length > 0) return false;
	const ruleStems = listStems(rule);
	const stems = [...listStems(permission)];
	const count = stems.filter((stem) => ruleStems.has(stem)).length;
	if (count >= sharedWords.min || (count > 0 && count / stems.length >= sharedWords.minShare)) return true;
	// "You may change the boards now." ends "Do not touch the boards.".
	if (coversRule(new Set([...stems, ...changingStems]), rule) && count > 0) return true;
	// "Go ahead and commit." ends "Do not commit anything until I say so.", not "Do not commit passwords.".
	const permitted = listStems(permission.replace(permissionPattern, '\n').split('\n').at(-1) ?? '');
	return coversRule(permitted, rule);
}

/** Words for a change, which are interchangeable. */
const changingStems = listStems('touch change edit modify alter update rename adapt ändern anfassen');
/** Words of a rule that forbids all changes, of no particular thing. */
const anyChangeStems = new Set([
	...changingStems,
	...listStems(
		'make write code start implement file right for the moment erstmal mal noch nichts vorerst änderungen ändere',
	),
]);

/** Whether a rule forbids all changes, but only for now: "Don't make any changes yet." */
function isTemporaryBan(rule: string): boolean {
	if (!temporaryPattern.test(rule)) return false;
	return coversRule(anyChangeStems, rule) || anyChangePattern.test(rule);
}

/** Whether words contain all words of a rule, besides those for waiting. */
function coversRule(stems: ReadonlySet<string>, rule: string): boolean {
	// A demand also ends a rule that waits for something: "No push until I have seen it."
	const [forbidden = ''] = rule.split(/,? (?:until|before|bis|bevor) /);
	const ruleStems = [...listStems(forbidden)].filter((stem) => !waitingStemPattern.test(stem));
	return ruleStems.length > 0 && ruleStems.every((stem) => stems.has(stem));
}

/** Words that forbid again to change what the sentence names: "leave README.md alone". */
const renewalPattern = /\balone\b|\b(?:not|n['’]t|never) (?:touch|change|edit)/i;

/** An order to change what the next words name. */
const changeOrderPattern =
	/\b(?:update|change|edit|modify|rewrite|extend|delete|remove|touch|adapt|ändere|lösche|ergänze)\s+((?:\S{1,100}\s+){0,2}\S{1,200})/gi;

/** Whether a sentence demands a change of all that a rule names: "Also update README.md." */
function demandsChange(text: string, ruleNames: readonly string[]): boolean {
	if (ruleNames.length === 0) return false;
	const names = Array.from(text.matchAll(changeOrderPattern), ([, object = '']) =>
		findCodeNames(object),
	).flat();
	return ruleNames.every((name) => names.some((one) => one === name || one.startsWith(`${name}/`)));
}

/** Returns the note after a rule that the user withdrew, at least in part: ` (but #6: You can touch it now.)`. */
export function renderWithdrawal(withdrawal: Withdrawal | undefined): string {
	if (withdrawal === undefined) return '';
	const { statement, text } = withdrawal.release;
	return ` (but ${getMessageName(statement.source)}: ${quoteLine(text)})`;
}
