import { type ToolDefinition } from '@amodal/sdk';
export declare const REMEMBER = "remember";
export interface ToolSettings {
    readonly maxChars: number;
    readonly tier: 'allow' | 'confirm' | 'review';
}
/** The tools that note, find and forget. */
export declare function memoryTools({ maxChars, tier }: ToolSettings): readonly ToolDefinition[];
