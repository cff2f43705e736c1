/** Recognizes texts that sound like rules by their words, in several languages. */

import { toPlainApostrophes } from './language.ts';

/** Words of rules and warnings. */
const rulePattern =
	/\b(?:must(?:n't)?|never|always|do not|don't|make sure|only use|ensure|avoid|should(?:n't| not| always| only)|no longer|instead of|prefer|from now on|every time|each time|before you|ask me|unless i|stop \w+ing|keep (?:it|the|all|every)|please (?:use|keep|don't)|stick to|you may not (?!have|need|be|see|know|want|like|notice|remember)\w+|without (?:asking(?: me)?(?=[^\w\s]|$)|my (?:ok|okay|permission|approval))|refrain from|hands off|leave .{1,30} (?:alone|as)|mind that|keep in mind)\b/i;
const strictPattern =
	/\b(?:must|(?<!\b(?:is|are|was|were|been) )(?:never|always)|(?:is|are) (?:never|always) (?:to be|allowed|permitted)|you are (?:never|always) to|do not|don't|you may not (?!have|need|be|see|know|want|like|notice|remember)\w+|without (?:asking me(?=[^\w\s]|$)|my (?:ok|okay|permission|approval))|no (?:push|commit|merge|deploy|release)\w* (?:until|before|without)|refrain from|make sure|only use|from now on|ask me before)\b/i;
const germanRulePattern =
	/\b(?:(?<!noch )immer(?! (?:noch|wieder|mehr))|niemals|(?<!noch )nie|ab (?:jetzt|sofort|heute)|von nun an|in Zukunft|jedes Mal|bitte (?:nicht|keine?[nrms]?|immer|nur)|frag(?:e|t)? mich|bevor du|vor jedem|nach jedem|auf keinen Fall|achte (?:darauf|auf)|bedenke?|beachte?|denk daran|darfst|ohne (?:zu fragen|Rückfrage)|lass .{1,40} (?:in Ruhe|stehen|so))\b|(?<![a-zäöü])künftig(?![a-zäöü])|verwende nur|nur noch/i;
/** German words of strict rules, and commands not to do something: "Committe nichts auf main". */
const germanStrictPattern =
	/\b(?:(?<!noch )immer(?! (?:noch|wieder|mehr))|niemals|(?<!noch )nie|ab (?:jetzt|sofort|heute)|von nun an|frag(?:e|t)? mich|auf keinen Fall|darfst\b.{0,60}\b(?:nicht|nichts|nur|keine?[nrms]?))\b|(?<![a-zäöü])künftig(?![a-zäöü])|^\s*(?:[-*•]\s+)?(?:(?:und|aber|also|bitte)[, ]+)?(?:änder|lösch|commit|push|schreib|benutz|verwend|nimm|mach|fass|rühr|installier|entfern|überschreib|füg)\S* .{0,60}\b(?:nicht|nichts|keine?[nrms]?|nie)\b|^\s*keine?[nrms]? \p{L}+,? (?:bevor|bis|ohne)\b/iu;
/** Words of rules in further languages. Reports such as "non funziona" have other forms of the verb. */
const languages = [
	// French
	{
		strict:
			/(?<!\p{L})(?:^\P{L}{0,9}n(?:e |')\p{L}+(?:-\p{L}+)? (?:pas|rien|plus)|(?<!(?:est|sont) )toujours(?! pas)|jamais|je ne (?:veux|souhaite) pas que)(?!\p{L})/iu,
		rule: /(?<!\p{L})(?:dorénavant|désormais|à partir de maintenant|évite[rz]?|sans (?:me |nous )?demander)(?!\p{L})/iu,
	},
	// Spanish
	{
		strict:
			/(?<!\p{L})(?:siempre(?! que)|nunca|no quiero que|no (?:uses(?! (?:of|for|in|left|remain))|toques|modifiques|cambies|borres|elimines|hagas|ejecutes|instales|añadas|crees|edites|escribas|subas|puedes(?=[^.!?\n]{0,60}(?:\bsin\b|:)))|sin (?:mi|nuestro|nuestra) (?:permiso|autorización|aprobación|consentimiento))(?!\p{L})/iu,
		rule: /(?<!\p{L})(?:a partir de ahora|de ahora en adelante|evit[ae]|sin preguntar(?:me|nos)?|en lugar de)(?!\p{L})/iu,
	},
	// Portuguese
	{
		strict:
			/(?<!\p{L})(?:(?<!(?:é|está|são|estão) )sempre(?! que)|não quero que|não (?:use|toque|mexa|modifique|altere|apague|remova|faça|execute|instale|adicione|crie|edite|escreva|suba|implemente|aplique|omita|mova|exclua|invente)m?|vocês? não podem?(?=[^.!?\n]{0,60}(?:\bsem\b|:))|sem (?:a )?minha (?:permissão|autorização|aprovação))(?!\p{L})/iu,
		rule: /(?<!\p{L})(?:a partir de agora|daqui em diante|evitem?|sem (?:me |nos )?perguntar|em vez de)(?!\p{L})/iu,
	},
	// Italian
	{
		strict:
			/(?<!\p{L})(?:(?<!(?:di|da|per|può|possono) )non (?!\p{L}*(?:ware|quare|tire)(?!\p{L}))\p{L}+[aei]re|non (?:usate|toccate|modificate|cambiate|cancellate|fate|eseguite|installate|aggiungete|create|scrivete))(?!\p{L})/iu,
		rule: /(?<!\p{L})(?:d'ora in poi|evita(?:re)?|senza chieder(?:e|mi|ci)|invece di)(?!\p{L})/iu,
	},
	// Russian
	{
		strict:
			/(?<!\p{L})(?:(?<!не )обязательно|ни в коем случае|запрещ[её]но|нельзя(?! (?:понять|узнать|сказать))|(?:не|всегда) (?!случай|край)\p{L}+[аяу]й(?:те)?|не (?:пиши|удали|ставь|правь|пушь|коммить|трожь|клади|меняй)(?:те)?)(?!\p{L})/iu,
		rule: /(?<!\p{L})(?:с этого момента|отныне|впредь|спроси(?:те)? меня|без (?:моего )?(?:разрешения|спроса)|избегай(?:те)?|не забудь(?:те)?)(?!\p{L})/iu,
	},
] as const;

/** Words of rules in Chinese, Japanese and Korean, whose words have endings or no spaces between them. */
const cjkRulePattern =
	/必ず(?!しも)|ないで|ないこと|(?:場合|とき|時|毎回|常に|すべて|全て).{0,30}してください|ようにして|てはいけ|てはだめ|てはなら|禁止|絶対(?!パス|値|座標|位置|参照|指定|的)|不要|今後|これから|毎回|勝手に|するな|ただし|注意|忘れずに|ではなく|前に.{0,8}(?:聞|確認|相談|許可)|必须|务必|请勿|不得(?!不)|不准|不许|绝不|绝对不|(?:(?<![特个区类级性识分辨告离差鉴判组派])|(?<=[这那几两三]个))别(?:动|改|删|用|碰|再|提交|忘)|从现在|从今|今后|以后|每次|始终|一定要|记得|小心|只(?:能|准|许|用|可以)|先(?:问|征求|告诉)|앞으로(?:는|도)?\s|기 전에.{0,12}(?:물어|확인|허락)|대신|만 사용|하지 말고|잊지|절대로?|지 ?마(?:세요|라|십시오|시오|요|[.!,]|$)|반드시|금지|면 안 ?[돼된됩되]|항상.{0,40}(?:세요|십시오|하라|해라|할 것|해야)/;
const cjkStrictPattern =
	/必ず(?!しも)|ないで(?:ください)?|てはいけ|てはなら|絶対(?!パス|値|座標|位置|参照|指定|的)|今後(?:は|も|、)|勝手に|前に.{0,8}(?:聞|確認|相談|許可)|必须|务必|禁止|请勿|不得(?!不)|不准|不许|绝不|绝对不|不要(?:动|改|修改|删|删除|用|使用|碰|提交|安装|添加|推送)|(?:(?<![特个区类级性识分辨告离差鉴判组派])|(?<=[这那几两三]个))别(?:动|改|删|用|碰|提交)|从现在|从今|今后|一定要|只(?:能|准|许)|先(?:问|征求|告诉)我?|지 ?마(?:세요|라|십시오|시오|요|[.!,]|$)|반드시|금지|면 안 ?[돼된됩되]|항상.{0,40}(?:세요|십시오|하라|해라|할 것|해야)/;
/** A character of a script with short words. */
export const denseScriptPattern = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;

/** Letters of Polish, in which `nie` (German for `never`) is the common word for `not`. */
const polishPattern = /[ąćęłńśźż]/i;

/** Whether a text sounds strict (`must`, `never`). */
export function isStrictRule(words: string): boolean {
	const text = toPlainApostrophes(words);
	if (strictPattern.test(text)) return true;
	if (germanStrictPattern.test(text) && !polishPattern.test(text)) return true;
	if (languages.some(({ strict }) => strict.test(text))) return true;
	return denseScriptPattern.test(text) && cjkStrictPattern.test(text);
}

/** Whether a text sounds like a rule or a warning. */
export function soundsLikeRule(words: string): boolean {
	const text = toPlainApostrophes(words);
	if (rulePattern.test(text)) return true;
	if (germanRulePattern.test(text) && !polishPattern.test(text)) return true;
	if (languages.some(({ strict, rule }) => strict.test(text) || rule.test(text))) return true;
	return denseScriptPattern.test(text) && cjkRulePattern.test(text);
}

/**
 * Prohibitions of lasting changes: "never" and "must not" right before a verb, "do not" only at the start, because
 * elsewhere it may concern a single step.
 */
const prohibitionPattern =
	/(?:^(?:please |also |and |but )?(?:do not|don['’]t)|(?:(?<=^|[,;:.!—(] ?|\b(?:and|but|or|so|please|also|should|must|will|to|you|we|i['’]?ll) )never|\bmust(?: not|n't)))\s+(?:\w+\s+){0,3}(?:touch|edit|chang|modif|delet|remov|renam|overwrit|push|commit|merg|deploy|install|upgrad|format|leave|migrat)|^(?:please |also |and |but )?leave\b|\bno (?:push|commit|merge|deploy|release)\w* (?:until|before|without)\b/i;
/** Like `prohibitionPattern`, for German, Chinese and Japanese, where the verb may be first or last. */
const negativePattern =
	/\b(?:nie(?:mals)?|nicht|nichts|keine?[nrms]?)\b|不要|不得(?!不)|(?<![特个区类级性识分辨告离差鉴判组派])别|ないで|禁止/i;
/** A rule that the user denies, or only quotes: "I never said that you must not edit it." */
const deniedSpeechPattern =
	/\b(?:never|not|n['’]t) (?:said|say|meant|mean|asked)\b|\b(?:says?|said|told me|thinks?)\b[^.!?]{0,20}[:"“„]/i;
/** A text in quotation marks, which a program shall show. */
const quotedTextPattern = /"[^"\n]{20,400}"|“[^”\n]{20,400}”/g;
/** Negations that ask for something: "Don't hesitate to change it." */
const encouragementPattern =
	/\b(?:do not|don['’]t) (?:hesitate|forget|worry|be (?:afraid|shy|scared))\b[^.!?\n,;:—]*/gi;
const changeVerbPattern = /änder|lösch|überschreib|anfass|\bfass\b|committe|\bpush|触|変え|削除|改|删|动/i;

/** Whether a rule forbids a lasting change. */
export function isForbidding(words: string): boolean {
	if (deniedSpeechPattern.test(words)) return false;
	const text = words.replace(quotedTextPattern, '"…"').replace(encouragementPattern, '');
	return prohibitionPattern.test(text) || (negativePattern.test(text) && changeVerbPattern.test(text));
}
