import { type AccessRule } from '@amodal/sdk';
import { type Parameters } from './template.ts';
/** A rule that covers a request, and the values of its parameters. */
export interface Covering {
    readonly rule: AccessRule;
    readonly parameters: Parameters;
}
/** The rules of one connection, ready to be asked. */
export declare class RuleBook {
    #private;
    /** @param base segments that the connection's address ends in: a rule may hold them or not */
    constructor(rules: readonly AccessRule[], base: readonly string[]);
    /**
     * The rules for a path in one reading: the most specific, and those that are as specific as it.
     *
     * @param numeric see {@link matchTemplate}
     */
    onPath(method: string, segments: readonly string[], numeric: boolean): readonly Covering[];
    /** The rules for a field of GraphQL: its own, else the one for any. Names have case there. */
    onField(kind: 'QUERY' | 'MUTATION', field: string | undefined): readonly Covering[];
    /** The rules for a tool of an MCP server: its own, else the longest pattern (`github_*`), else what covers any path. */
    onTool(name: string): readonly Covering[];
}
