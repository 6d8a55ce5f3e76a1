import { type JsonObject, type Result, type StoreDefinition, type ToolContext } from '@amodal/sdk';
/** Adds the parameter to a tool's schema. Programs that call the tool may leave it out. */
export declare function withReasoning(store: StoreDefinition, schema: {
    readonly properties: JsonObject;
    readonly required: readonly string[];
}): JsonObject;
/** Tells the reasons from what is to be stored. */
export declare function splitReasoning(store: StoreDefinition, args: JsonObject): Result<{
    readonly rest: JsonObject;
    readonly reasoning: string | undefined;
}, string>;
/** What is kept beside a document. Other tenants read what is shared, and sessions are none of their business. */
export declare function traceOf(store: StoreDefinition, reasoning: string | undefined, { session, run, callId }: Pick<ToolContext, 'session' | 'run' | 'callId'>): {
    readonly trace?: JsonObject;
};
