import { type AgentBundle, type ToolList } from '@amodal/sdk';
import type { Judge } from './judge.ts';
/** What the agent knows nothing of is not in the documents and texts of its connections. */
export declare function withoutHidden(bundle: AgentBundle, judge: Judge): AgentBundle;
/** Tools without those of MCP servers that rules hide. */
export declare function listWithoutHidden(list: ToolList, bundle: AgentBundle, judge: Judge): ToolList;
