/** Where OpenClaw compacts by itself. All figures are tokens. */

import { ownModelWindow, windowsOf } from '../pi/limit.ts';
import { type LimitRule, limitAt, supposedWindow, wholeWindow } from '../reading/limit.ts';
import { jsonFields, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, firstNumber } from '../reading/values.ts';

/** What pi would keep free of the window, and what OpenClaw keeps free at least. */
const usual = { reserve: 16_384, floor: 20_000 };

/**
 * The limit of a session of OpenClaw: the window less `reserveTokens` of `agents.defaults.compaction`, and less
 * `reserveTokensFloor` where that is more. The window is that of the model in its settings, where it stands there.
 */
export const openClawLimit: LimitRule = (evidence) => {
	const statedWindow = evidence.statedWindow ?? ownModelWindow(evidence);
	const supposed = supposedWindow({ ...evidence, statedWindow });
	const { enabled, reserveTokens, reserveTokensFloor } = fieldsOf(evidence.settings?.compaction);
	if (enabled === false) return wholeWindow(supposed);
	const reserve = Math.max(
		firstNumber(reserveTokens) ?? usual.reserve,
		firstNumber(reserveTokensFloor) ?? usual.floor,
	);
	return limitAt(supposed, supposed.window - Math.min(reserve, supposed.window / 2));
};

/** The reserve, and the windows of the models that the user added. */
export const openClawSettings: SettingsSource = {
	files: [
		[
			{ variable: 'OPENCLAW_CONFIG_PATH', below: [] },
			{ variable: 'OPENCLAW_STATE_DIR', below: ['openclaw.json'] },
			{ below: ['.openclaw', 'openclaw.json'] },
		],
	],
	read([text = '']) {
		const { agents, models } = jsonFields(text);
		const { compaction } = fieldsOf(fieldsOf(agents).defaults);
		const reserve = onlyFields(fieldsOf(compaction), ['enabled', 'reserveTokens', 'reserveTokensFloor']);
		const providers = windowsOf(fieldsOf(fieldsOf(models).providers));
		return {
			settings: {
				...(Object.keys(reserve).length > 0 && { compaction: reserve }),
				...(Object.keys(providers).length > 0 && { providers }),
			},
			environment: {},
		};
	},
};
