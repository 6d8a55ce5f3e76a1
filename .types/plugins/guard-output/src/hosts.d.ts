import type { RunContext } from '@amodal/sdk';
/** Whether the person or the agent's files have named a host. Asked only where a text has a link. */
export declare function isKnownHost(host: string, ctx: Pick<RunContext, 'bundle' | 'messages'>, more: readonly string[]): boolean;
