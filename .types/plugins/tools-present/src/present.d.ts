import { type ToolDefinition, type Widget } from '@amodal/sdk';
/** Draws a widget in the client, beside the text. */
export declare function present(widgets: ReadonlyMap<string, Widget>): ToolDefinition;
