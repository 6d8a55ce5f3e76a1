import { type AgentEvent } from '@amodal/sdk';
/** Shows the events of a turn as lines and running text. */
export declare class Screen {
    #private;
    constructor(write: (text: string) => void);
    show(event: AgentEvent): void;
    text(text: string): void;
    line(text: string): void;
    endLine(): void;
    /** Asks for a line. */
    ask(text: string): void;
}
