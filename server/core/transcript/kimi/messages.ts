import type { ContentPart } from '../../../protocol/conversation.ts';
import type { Fields } from '../../shape.ts';
import { readBlocks } from '../reading/blocks.ts';
import { fieldsOf, firstText } from '../reading/values.ts';
import type { KimiEntry } from './history.ts';

/** A part of a message; Kimi's own reasoning and image blocks beside those that others have too. */
export function partsOf(part: unknown): ContentPart[] {
	const { type, think, imageUrl } = fieldsOf(part);
	if (type === 'think') {
		return typeof think === 'string' && think !== '' ? [{ type: 'reasoning', text: think }] : [];
	}
	if (imageUrl !== undefined) return readBlocks([{ type, image_url: imageUrl }]).parts;
	return readBlocks([part]).parts;
}

/** Whose a message is: that of a person, one the agent put in between, or any other. */
export function kindOf(message: Fields): KimiEntry['kind'] {
	if (message.role !== 'user') return 'other';
	const { kind, trigger } = fieldsOf(message.origin);
	if (kind === undefined || kind === 'user') return 'prompt';
	if ((kind === 'skill_activation' || kind === 'plugin_command') && trigger === 'user-slash') return 'prompt';
	if (kind === 'compaction_summary') return 'summary';
	return kind === 'injection' ? 'injection' : 'other';
}

/** The neutral word for how a step ended. */
export function stopReasonOf(reason: unknown): string | undefined {
	if (reason === 'tool_use') return 'tool';
	return reason === 'end_turn' ? 'stop' : firstText(reason);
}
