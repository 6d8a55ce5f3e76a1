import { type ToolDefinition } from '@amodal/sdk';
/** Values that a tool's own schema names: choosing among them is choosing what its author offers. */
export interface Constants {
    readonly offered: ReadonlySet<string>;
    /** Those that it has where nobody says another. */
    readonly defaults: ReadonlySet<string>;
}
export declare function constantsOf({ parameters }: ToolDefinition): Constants;
