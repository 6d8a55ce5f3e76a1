import { type Agent, type Generation, type JsonObject } from '@amodal/sdk';
export interface HealthReport {
    readonly status: 'starting' | 'ok' | 'degraded';
    readonly body: JsonObject;
}
/**
 * How the agent fares. `starting` until it takes messages; `degraded` where it serves, but something of it does not
 * work: what, stands in `problems`.
 */
export declare function healthOf(agent: Agent, generation: Generation, uptimeMs: number): HealthReport;
/** The same for somebody who may not know of the whole agent. */
export declare function counted({ problems, ...body }: JsonObject): JsonObject;
