import type { RunContext, ToolResult } from '@amodal/sdk';
import { type Review } from './review.ts';
/** What a tool answered, without values that this session has withheld: neither this answer's own nor those of earlier ones. */
export declare function withoutKnown(result: ToolResult, review: Review, ctx: RunContext): ToolResult;
