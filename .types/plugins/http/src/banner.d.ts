import type { Agent, AgentBundle, Inspection, ModelStatus } from '@amodal/sdk';
type Compiled = Awaited<ReturnType<Agent['compiled']>>;
/** What a server that has just started can say of itself. */
export interface Started {
    readonly bundle: AgentBundle | undefined;
    readonly compiled: Compiled;
    readonly models: readonly ModelStatus[];
    /** Prefixes that are mounted. */
    readonly routes: readonly string[];
    readonly inspection: Inspection;
    readonly url?: string;
    /** What decisions need, which the link to the studio brings along. */
    readonly token?: string | undefined;
}
/** What `amodal dev` prints once it serves. */
export declare function banner({ bundle, compiled, models, routes, inspection, url, token }: Started): readonly string[];
export {};
