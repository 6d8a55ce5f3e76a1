import { type AgentBundle } from '@amodal/sdk';
/** What several roles allow together: patterns of names. */
export interface Grants {
    readonly tools: readonly string[];
    readonly skills: readonly string[];
    readonly connections: readonly string[];
}
export interface Granted {
    readonly grants: Grants;
    /** Roles of the principal that no file is of: they allow nothing. */
    readonly unknown: readonly string[];
    /** It has no role, and none is meant for those who have none. */
    readonly none: boolean;
}
/** What roles allow together. Without any file of roles that is everything; with one it is what they say, and no more. */
export declare function grantsOf(bundle: AgentBundle, held: readonly string[], defaultRole: string | undefined): Granted;
export declare const allows: (patterns: readonly string[], name: string) => boolean;
export declare const isAll: ({ tools, skills, connections }: Grants) => boolean;
