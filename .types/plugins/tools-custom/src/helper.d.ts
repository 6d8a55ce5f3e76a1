import { type AgentEvent, type Outbound, type ToolContext } from '@amodal/sdk';
import type { HandlerTool } from './custom-tool.ts';
import type { Helper } from './process/handler-process.ts';
import type { Launcher, Place } from './process/launcher.ts';
import type { Ask, Tell } from './process/messages.ts';
/** What a call needs of the server to do things for its handler. */
export interface Surroundings {
    readonly outbound: Outbound;
    readonly launcher: Launcher;
    readonly place: Place;
    readonly mask: (text: string) => string;
}
type Answer = Awaited<ReturnType<Helper['ask']>>;
/** Does what the handler of one call asks for: everything goes through the monitor, or is refused. */
export declare class CallHelper implements Helper {
    #private;
    /** Facts that the handler wants to be told with its result. */
    readonly events: AgentEvent[];
    /** A request or a command of the handler itself may have been acted on, and nobody said so. */
    doubtful: boolean;
    constructor(tool: HandlerTool, ctx: ToolContext, around: Surroundings);
    ask(what: Ask): Promise<Answer>;
    tell(what: Tell): void;
}
export {};
