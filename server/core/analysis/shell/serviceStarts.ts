/** Finds the commands that start services, which then run the files as they were. */

import { workLimits } from '../../compact/tuning.ts';

/** A command that starts, restarts or deploys a service, which then runs the present files. */
const serviceStartPattern =
	/(?<![\w./-])(?:pm2 (?:reload|restart|start)|(?:systemctl|service)(?: --user)? (?:[\w.@-]{1,60} )?(?:reload|restart|start)|docker restart|docker[- ]compose (?:-{1,2}[\w-]{1,30}[ =]\S{1,200} ){0,4}(?:restart|up)|kubectl rollout restart|(?:fly|firebase|netlify|serverless|vercel|wrangler) deploy|vercel --prod)\b[^;&|\n"']{0,80}/;

/** Returns the last command of a script that starts, restarts or deploys a service; undefined if none does. */
export function findServiceStart(script: string): string | undefined {
	const parts = script.slice(0, workLimits.maxLengthOf.command).split(/[;&|\n]/);
	return parts
		.map((part) => serviceStartPattern.exec(part.replace(/ \d?>.*$/, ''))?.[0].trim())
		.findLast((start) => start !== undefined);
}
