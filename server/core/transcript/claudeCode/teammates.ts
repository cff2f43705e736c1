/** Reads the messages of other agents of a team, which Claude Code puts into the user's role. */

import { isFields } from '../../shape.ts';
import { firstText } from '../../values.ts';

const elementPattern = /<teammate-message ((?:[^>"]|"[^"]*"){0,600})>([\s\S]*?)(?:<\/teammate-message>|$)/g;
const attributePattern = /(?:^|\s)(teammate_id|summary)="([^"]*)"/g;
/** Length of a notice that is searched for its type. UTF-16 units. */
const maxNoticeLength = 600;
/** Notices that only concern the team itself. */
const idleNoticePattern =
	/^(?![\s\S]*"failureReason")[\s\S]{0,200}"type"\s*:\s*"(?:idle_notification|shutdown_approved)"/;

/**
 * Returns what the other agents report, each under a heading with its name, the only ones of their rank; undefined for other texts, and if the user's words
 * follow. O(length).
 */
export function readTeammateReports(text: string): string | undefined {
	if (!text.trimStart().startsWith('<teammate-message ')) return undefined;
	if (text.replace(elementPattern, '').trim() !== '') return undefined;
	const reports = Array.from(text.matchAll(elementPattern), ([, attributes = '', body = '']) => {
		const { teammate_id: name = 'teammate', summary } = Object.fromEntries(
			Array.from(attributes.matchAll(attributePattern), ([, key = '', value = '']) => [key, value]),
		);
		const heading = `# ${[name, summary].filter(Boolean).join(': ')}`;
		return idleNoticePattern.test(body.slice(0, maxNoticeLength))
			? ''
			: `${heading}\n${readNotice(body.trim()).replace(/^# /gm, '## ')}`;
	});
	return reports.filter(Boolean).join('\n\n');
}

/** Returns the message of a notice in JSON; other texts unchanged. */
function readNotice(body: string): string {
	if (!body.startsWith('{')) return body;
	try {
		const notice: unknown = JSON.parse(body);
		if (!isFields(notice)) return body;
		const { subject, description, message, reason, failureReason, type } = notice;
		const texts = [subject, description, message, reason, failureReason].map((one) => firstText(one));
		return texts.filter(Boolean).join('\n') || firstText(type) || body;
	} catch (error) {
		if (error instanceof SyntaxError) return body;
		throw error;
	}
}
