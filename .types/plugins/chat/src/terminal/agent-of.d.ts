import { type AgentFace, type CommandContext, type StartChange } from '@amodal/sdk';
import { type Client } from '@amodal/sdk/client';
/** The server that the command line names, if it does. */
export declare function clientOf({ env, dir, options: { scope, url } }: CommandContext): Client | undefined;
/** The agent of the folder, in this process. */
export declare function faceOf({ start }: CommandContext, change?: StartChange): Promise<AgentFace>;
