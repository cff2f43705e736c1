/** Stages that remove only what the caller selected: outdated results, reasoning of earlier turns, or images. */

import type { ContentPart, IdentifiedMessage } from '../../../protocol/conversation.ts';
import { isFields } from '../../shape.ts';
import type { Clearing, Clearings } from '../clearings.ts';
import {
	type Draft,
	getUnit,
	hasKind,
	type Item,
	isProtected,
	itemKind,
	readOriginals,
	selectItems,
	shortenItem,
} from '../draft.ts';
import { createDroppedImageNote, shortenContent } from '../placeholders.ts';
import type { PlanInput, Stage } from '../stage.ts';
import { workLimits } from '../tuning.ts';

/** Whether a part is reasoning, as text or in a provider's encrypted form. */
function isReasoning(part: ContentPart): boolean {
	if (part.type === 'reasoning') return true;
	return part.type === 'opaque' && isFields(part.value) && part.value.type === 'redacted_thinking';
}

/** Returns a filter for answers of earlier turns. Providers require the reasoning of the current turn. */
function createEarlierTurnFilter(draft: Draft): (item: Item) => boolean {
	const lastRequest = selectItems(draft, (item) => hasKind(draft, item, itemKind.fromUser)).at(-1) ?? 0;
	return (item) => item < lastRequest && getUnit(draft, item).row.role === 'assistant';
}

/** Returns a filter for items before the model's newest answer: the model has seen their images. */
function createAnsweredFilter(draft: Draft): (item: Item) => boolean {
	const lastAnswer = selectItems(draft, (item) => getUnit(draft, item).row.role === 'assistant').at(-1) ?? 0;
	return (item) => item < lastAnswer;
}

/** A kind of content to drop: the items, the replacement of a part, and the reason to report if nothing is dropped. */
interface Droppable {
	createFilter(draft: Draft): (item: Item) => boolean;
	isDropped(part: ContentPart): boolean;
	createReplacement(messageId: string): ContentPart[];
	emptyReason: string;
}

/** Returns a message without this kind of content; undefined if it has none. */
function removeContent(
	{ isDropped, createReplacement }: Droppable,
	message: IdentifiedMessage,
): IdentifiedMessage | undefined {
	const { content, id } = message;
	if (typeof content === 'string' || !content.some(isDropped)) return undefined;
	const newContent = content.flatMap((part) => (isDropped(part) ? createReplacement(id) : part));
	return shortenContent(message, newContent);
}

function createDropStage(droppable: Droppable): Stage {
	return {
		name: 'prune',
		applies: () => true,
		async run(draft, { effects }) {
			const isCandidate = droppable.createFilter(draft);
			const items = selectItems(draft, (item) => isCandidate(item) && !isProtected(draft, item));
			let count = 0;
			for await (const [item, original] of readOriginals(draft, items, effects)) {
				// An earlier stage already dropped this content, or shortened the message even more.
				if (hasKind(draft, item, itemKind.fromDaemon)) continue;
				const message = removeContent(droppable, draft.replacements.get(item)?.message ?? original);
				if (!message) continue;
				const counts = effects.countMessage(message);
				if (shortenItem(draft, item, { stage: 'prune', message, counts, made: 'shortened' })) count++;
			}
			return count > 0 ? {} : { reason: droppable.emptyReason };
		},
	};
}

/** Drops all reasoning of a message, because its parts are signed together. */
export const dropReasoningStage = createDropStage({
	createFilter: createEarlierTurnFilter,
	isDropped: isReasoning,
	createReplacement: () => [],
	emptyReason: 'no reasoning of earlier turns is left that counts',
});

/** Drops images, and leaves a placeholder for each. */
const dropImagesStage = createDropStage({
	createFilter: createAnsweredFilter,
	isDropped: ({ type }) => type === 'image',
	createReplacement: (id) => [{ type: 'text', text: createDroppedImageNote(id) }],
	emptyReason: 'no image is left that the model has answered',
});

/** Returns the clearing of an item; undefined if the item is not selected or must not change. */
function findClearing(draft: Draft, item: Item, { results }: Clearings): Clearing | undefined {
	if (!hasKind(draft, item, itemKind.oneRow) || isProtected(draft, item)) return undefined;
	return results.get(draft.firstSeqs[item] ?? -1);
}

/** Returns the stage "deduplicate" for a selection: clears only the selected results, whatever the target. */
function createClearStage(selection: Clearings): Stage {
	return {
		name: 'deduplicate',
		applies: () => true,
		async run(draft, { effects }) {
			let count = 0;
			for (let item = 0; item < draft.view.length; item++) {
				if (item % workLimits.unitsPerSlice === 0) await effects.pause();
				const clearing = findClearing(draft, item, selection);
				if (clearing === undefined) continue;
				const { id } = getUnit(draft, item).row;
				const { note: content, counts, reason } = clearing;
				const message = { id, role: 'tool' as const, content };
				const replacement = { stage: 'deduplicate', message, counts, made: 'deduplicated' } as const;
				if (shortenItem(draft, item, { ...replacement, reason, isPlaceholder: true })) count++;
			}
			return count > 0 ? {} : { reason: selection.emptyReason };
		},
	};
}

const dropStages = { reasoning: dropReasoningStage, images: dropImagesStage };

/** Returns the stages that remove only what the caller selected; undefined if the caller selected nothing. */
export function selectStages({
	clearings,
	policy: { contentToDrop },
}: PlanInput): readonly Stage[] | undefined {
	if (clearings) return [createClearStage(clearings)];
	return contentToDrop.length > 0 ? contentToDrop.map((content) => dropStages[content]) : undefined;
}
