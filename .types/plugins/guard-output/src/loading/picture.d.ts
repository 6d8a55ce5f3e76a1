import type { ToolContent } from '@amodal/sdk';
import type { LinkPolicy } from './tag-rules.ts';
/** Parts of a result without pictures that a client would load from a host nobody listed. */
export declare function loadsNothing(content: readonly ToolContent[], { loads }: LinkPolicy): readonly ToolContent[];
