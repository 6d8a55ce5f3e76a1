import { type AgentBundle, type Failure, type Generation, type Result, type ToolDefinition, type ToolList, type ToolSchema } from '@amodal/sdk';
/** A list of tools with what is made from it once: schemas for the model, a look-up, hashes. */
export interface ToolSet extends ToolList {
    readonly schemas: readonly ToolSchema[];
    /** A tool that the model may call. */
    find(name: string): ToolDefinition | undefined;
    /** A tool that another one may call: also a hidden one that it names. */
    findInner(name: string, outer: ToolDefinition): ToolDefinition | undefined;
    hash(tool: ToolDefinition): string;
}
/** Tools from all sources, one source after another; two tools of one name are an error that names both sources. */
export declare function collectTools(generation: Generation, bundle: AgentBundle): Result<ToolList, Failure>;
export declare function toolSet({ tools, aliases, unlisted }: ToolList): ToolSet;
